#!/usr/bin/env node
import { callCommand, tellFault } from './program.ts';

// The reader of the output, such as `head`, may close it early. The command still runs to its end and sets its exit code.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// An error that nobody caught ends the process, and so does work that can never end. Neither may look like a verdict.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => process.exit(tellFault(error)));
}
let ended = false;
process.once('beforeExit', () => {
  if (!ended) process.exitCode = tellFault(new Error('the command waits for something that cannot come'));
});

// Not awaited at the top level, which the single executable cannot do.
void callCommand(process.argv.slice(2)).then(() => {
  ended = true;
});
