import { coveringChoices, singleChoices } from './chosen-servers.ts';
import type { Variant } from './fault.ts';
import { variants } from './variants.ts';

/** Every conforming server of the proof: none may be accused by any check. */
export const conformingServers: readonly Variant[] = [...variants, ...coveringChoices, ...singleChoices];
