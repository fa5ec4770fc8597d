/** Where the single executable begins: the command, or the process of the reference server that a run has started. */
import { referenceScript } from '../cli/reference-script.ts';

if (process.connected && process.argv[2] === referenceScript) void import('../cli/reference-process.ts');
else void import('../cli/main.ts');
