import type { AuthenticationRule } from '../rule.ts';
import { bodyRules } from './bodies.ts';
import { credentialRules } from './credentials.ts';
import { headerRules } from './headers.ts';
import { queryRules } from './queries.ts';
import { signatureStringRules } from './signature-strings.ts';
import { signatureRules } from './signatures.ts';
import { timestampRules } from './timestamps.ts';

/** Every rule of authentication, each named once. Checks and wrong servers are made of this list and the contract's operations. */
export const authenticationRules: readonly AuthenticationRule[] = [
  ...headerRules,
  ...credentialRules,
  ...signatureRules,
  ...signatureStringRules,
  ...queryRules,
  ...bodyRules,
  ...timestampRules,
];
