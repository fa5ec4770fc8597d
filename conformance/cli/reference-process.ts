/** The reference server that a run without a target judges, in a process of its own; it ends with the run's. */
import { startServer } from '../../server/main.ts';
import { version } from '../run/version.ts';

/** What it sends once it accepts requests. */
export interface ReferenceServer {
  url: string;
  control: { url: string; token: string };
}

process.once('disconnect', () => process.exit());
const {
  url,
  control = '',
  controlToken = '',
} = await startServer(
  { host: '127.0.0.1', port: 0, database: ':memory:', mode: 'sandbox', implementation: `assay/${version}` },
  // The run itself holds each answer against the contract.
  (parts) => ({ ...parts, validateResponses: false }),
);
process.send?.({ url, control: { url: control, token: controlToken } } satisfies ReferenceServer);
