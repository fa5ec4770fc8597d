// Written by hand: the bundled merchant contract, openapi.json, with its type.
import document from './openapi.json' with { type: 'json' };

/** A value of JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The merchant contract as one OpenAPI document. */
export const contract: { [key: string]: Json } = document;
