// Written by hand: the bundled sandbox control API, sandbox-control.json, with its type.
import type { Json } from './contract.ts';
import document from './sandbox-control.json' with { type: 'json' };

/** The sandbox control API as one OpenAPI document. */
export const contract: { [key: string]: Json } = document;
