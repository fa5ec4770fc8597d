/** The process of the reference server that a run without a target judges. It ends with the process of the run. */
import { startServer } from '../../server/main.ts';
import { createSender } from '../../server/webhooks/sender.ts';
import { receiverTimeout } from '../run/run-defaults.ts';
import { version } from '../run/version.ts';

/** The message that the process sends when the server accepts requests. */
export interface ReferenceServer {
  url: string;
  control: { url: string; token: string };
}

process.once('disconnect', () => process.exit());
// A terminal sends Ctrl-C to this process too. The run still needs the server for its last answers, and ends it afterwards.
process.on('SIGINT', () => {});
// Not awaited at the top level, which the single executable cannot do.
void startServer(
  {
    ...{ host: '127.0.0.1', port: 0, database: ':memory:', mode: 'sandbox' },
    implementation: `assay/${version}`,
    restart: 'in-process',
  },
  // The run itself checks each answer against the contract.
  (parts) => ({
    ...parts,
    validateResponses: false,
    send: createSender('sandbox', { timeout: receiverTimeout }),
  }),
).then(({ url, control = '', controlToken = '' }) => {
  process.send?.({ url, control: { url: control, token: controlToken } } satisfies ReferenceServer);
});
