import { messageOf } from '../../../conformance/errors/message-of.ts';
import type { Part } from './parts/part.ts';

/** A marker that cannot be followed. The message begins with the file and the line. */
export class MarkerError extends Error {
  constructor(file: string, line: number, message: string) {
    super(`${file}:${line}: ${message}`);
  }
}

const beginMarker = /^<!-- begin (\S+)((?: [^\s=]+=\S+)*) -->$/;
const anyMarker = /<!--\s*(?:begin|end)\b/;

/**
 * Replaces the text between each pair of marker lines `<!-- begin NAME key=value … -->` and `<!-- end NAME -->` by the
 * Markdown that the part of that name makes, passed through `adapt`. The markers stay. Throws `MarkerError` for an
 * unknown name, key or value, and for a marker that is incomplete.
 */
export function fillParts(
  markdown: string,
  file: string,
  parts: Readonly<Record<string, Part>>,
  adapt: (markdown: string) => string = (made) => made,
): string {
  const lines = markdown.split('\n');
  const filled: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const fail = (message: string) => new MarkerError(file, index + 1, message);
    filled.push(line);
    if (!anyMarker.test(line)) continue;
    const [whole, name = '', options = ''] = beginMarker.exec(line) ?? [];
    if (whole === undefined) throw fail('a generated part begins with a line <!-- begin NAME key=value -->');
    const end = lines.findIndex((each, at) => at > index && anyMarker.test(each));
    if (lines[end] !== `<!-- end ${name} -->`) throw fail(`the part needs a line <!-- end ${name} --> at its end`);
    const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
    if (!part) throw fail(`there is no generated part ${name}; there are ${Object.keys(parts).join(', ')}`);
    filled.push('', adapt(made(part, optionsOf(name, options, part, fail), fail)), '', lines[end]);
    index = end;
  }
  return filled.join('\n');
}

/** Markdown without its generated parts and their markers: what is written by hand. */
export function withoutParts(markdown: string): string {
  return markdown.replace(/^<!-- begin (\S+).*-->\n[\s\S]*?^<!-- end \1 -->\n/gm, '');
}

function made(part: Part, options: Record<string, string>, fail: (message: string) => Error): string {
  try {
    return part.make(options);
  } catch (error) {
    throw fail(messageOf(error));
  }
}

function optionsOf(name: string, text: string, part: Part, fail: (message: string) => Error): Record<string, string> {
  const given: Record<string, string> = {};
  for (const word of text.split(' ').filter(Boolean)) {
    const [key = '', value = ''] = word.split(/=(.*)/s);
    const option = Object.hasOwn(part.options, key) ? part.options[key] : undefined;
    if (!option) throw fail(`${name} takes no ${word}; ${usage(part)}`);
    if (key in given) throw fail(`${name} has ${key} twice`);
    if (option.values?.includes(value) === false)
      throw fail(`${key} must be one of ${option.values.join(', ')}, not ${value}`);
    given[key] = value;
  }
  for (const [key, { optional }] of Object.entries(part.options)) {
    if (!optional && !(key in given)) throw fail(`${name} needs ${key}; ${usage(part)}`);
  }
  return given;
}

function usage({ options }: Part): string {
  const keys = Object.entries(options).map(([key, { optional }]) => (optional ? `[${key}=…]` : `${key}=…`));
  return keys.length === 0 ? 'it takes no options' : `it takes ${keys.join(' ')}`;
}
