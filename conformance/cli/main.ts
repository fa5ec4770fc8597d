#!/usr/bin/env node
import { messageOf } from '../errors/message-of.ts';
import { isOutcome } from '../errors/outcomes.ts';
import { tellLostOutput } from './lost-output.ts';
import { callCommand, tellFault } from './program.ts';

// The reader of the output, such as `head`, may close it early, or the disk that takes it may be full. The command still runs to its end and sets
// its exit code.
process.stderr.on('error', () => undefined);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') tellLostOutput(`stdout cannot be written: ${messageOf(error)}`);
});

// An error that nobody caught ends the process, and so does work that can never end. Neither may look like a verdict.
process.on('uncaughtException', (error) => process.exit(tellFault(error)));
process.on('unhandledRejection', (error) => {
  // A step of a check may be refused before the check looks at it. It learns of that all the same, and no other check is concerned.
  if (!isOutcome(error)) process.exit(tellFault(error));
});
let ended = false;
process.once('beforeExit', () => {
  if (!ended) process.exitCode = tellFault(new Error('the command waits for something that cannot come'));
});

// Not awaited at the top level, which the single executable cannot do.
void callCommand(process.argv.slice(2)).then(() => {
  ended = true;
});
