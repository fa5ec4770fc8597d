import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { isObject, type Json, type JsonObject, pointerStep, resolvePointer } from './json.ts';

/** The folder of the hand-written contract. */
export const contractFolder = fileURLToPath(new URL('..', import.meta.url));

/** One YAML file of the contract. */
export interface SourceFile {
  /** Relative to `openapi/`, with forward slashes. */
  path: string;
  content: Json;
}

/** Every YAML file of the contract and its catalogue, sorted by path. Vectors and the broken documents are left out. */
export function readSources(folder = contractFolder): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => path.endsWith('.yaml') && !/^(vectors|lint)\//.test(path))
    .sort()
    .map((path) => ({ path, content: parse(readFileSync(join(folder, path), 'utf8')) as Json }));
}

/** The places where the contract names a requirement, as `file#/pointer`, by requirement id. */
export function requirementPlaces(sources: SourceFile[]): Map<string, string[]> {
  const places = new Map<string, string[]>();
  const add = (id: Json | undefined, place: string) => {
    if (typeof id === 'string') places.set(id, [...new Set([...(places.get(id) ?? []), place])]);
  };
  const visit = (value: Json | undefined, place: string): void => {
    if (Array.isArray(value)) for (const [index, child] of value.entries()) visit(child, `${place}/${index}`);
    if (!isObject(value)) return;
    const named = value['x-requirement'];
    if (isObject(named)) for (const id of Object.values(named)) add(id, place);
    else add(named, place);
    for (const key of ['requirement', 'final', 'noOtherMoves', 'free']) add(value[key], place);
    for (const [key, child] of Object.entries(value)) {
      if (key !== 'x-requirement') visit(child, `${place}/${pointerStep(key)}`);
    }
  };
  for (const { path, content } of sources) {
    if (!path.startsWith('catalogue/requirements/') && !path.startsWith('examples/')) visit(content, `${path}#`);
  }
  return places;
}

/** The value at `file#/pointer`. Throws an error if there is none. */
export function resolvePlace(sources: SourceFile[], place: string): Json {
  const [path = '', pointer = ''] = place.split('#');
  const source = sources.find((file) => file.path === path);
  if (!source) throw new Error(`${place}: there is no file ${relative('.', path)}`);
  return resolvePointer(source.content, pointer);
}

/** The content of one file. Throws an error if there is none, or if it is no mapping. */
export function sourceContent(sources: SourceFile[], path: string): JsonObject {
  const content = resolvePlace(sources, `${path}#`);
  if (!isObject(content)) throw new Error(`${path}: expected a mapping`);
  return content;
}
