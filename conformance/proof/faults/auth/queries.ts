import { findingUnsigned } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import { splitTarget } from '../../stand/proxy.ts';

const rewriting = (id: string, title: string, marks: RegExp): Fault => ({
  id,
  title,
  breaks: 'auth.signature.query',
  caughtBy: 'auth.refunds.query.query-plus',
  make: { merchantApi: findingUnsigned(({ target }) => marks.test(splitTarget(target).query ?? '')) },
});

/** Wrong servers that verify the signature of a query which they have written anew. */
export const queryFaults: readonly Fault[] = [
  rewriting(
    'plus-in-query-read-as-blank-before-signature',
    'Reads a plus sign in a query as a blank before it verifies the signature.',
    /\+/,
  ),
  rewriting(
    'apostrophe-in-query-escaped-before-signature',
    'Escapes an apostrophe in a query before it verifies the signature, as the URL of browsers does.',
    /'/,
  ),
];
