import type { Variant } from '../stand/fault.ts';
import { coveringChoices, singleChoices } from './chosen-servers.ts';
import { combinations } from './combinations.ts';
import { variants } from './index.ts';

/** Every conforming server of the proof: none may be accused by any check. */
export const conformingServers: readonly Variant[] = [
  ...variants,
  ...coveringChoices,
  ...singleChoices,
  ...combinations,
];
