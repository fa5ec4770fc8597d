/**
 * What addresses end with: a query is part of the address, with its escapes as they are. One that is read and written anew, as form libraries
 * do, becomes another one: these have escapes in large and in small letters, a name twice, names without a value and without an equals sign,
 * signs that need no escape, and an empty part at the end.
 */
export const awkwardQuery = '?shop=7&path=%2Fhooks%3f&shop=8&note=&bare&to=a+b%20c,d:e@f&';
