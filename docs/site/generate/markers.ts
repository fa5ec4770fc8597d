import type { Part } from './parts/part.ts';

/** A directive that cannot be followed, with where it stands. */
export class DirectiveError extends Error {
  constructor(file: string, line: number, message: string) {
    super(`${file}:${line}: ${message}`);
  }
}

const directive = /^<!-- @generated\b(.*?)-->\s*$/;

/**
 * Replaces each line `<!-- @generated NAME key=value … -->` by what the part of that name makes. Throws `DirectiveError`
 * for a name, a key or a value that there is none of.
 */
export async function expandDirectives(
  markdown: string,
  file: string,
  parts: Readonly<Record<string, Part>>,
): Promise<string> {
  const lines = markdown.split('\n').map(async (line, index) => {
    const match = directive.exec(line);
    const fail = (message: string) => new DirectiveError(file, index + 1, message);
    if (!match) {
      if (line.includes('@generated'))
        throw fail('a directive has a line of its own: <!-- @generated NAME key=value -->');
      return line;
    }
    const [name = '', ...words] = (match[1] ?? '').trim().split(/\s+/);
    const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
    if (!part) throw fail(`there is no generated part ${name}; there are ${Object.keys(parts).join(', ')}`);
    return part.make(optionsOf(name, words, part, fail));
  });
  return (await Promise.all(lines)).join('\n');
}

function optionsOf(
  name: string,
  words: string[],
  part: Part,
  fail: (message: string) => Error,
): Record<string, string> {
  const given: Record<string, string> = {};
  for (const word of words) {
    const [key = '', value] = word.split(/=(.*)/s);
    const option = Object.hasOwn(part.options, key) ? part.options[key] : undefined;
    if (!option || value === undefined) throw fail(`${name} takes no ${word}; ${usage(part)}`);
    if (key in given) throw fail(`${name} has ${key} twice`);
    if (!option.values.includes(value)) throw fail(`${key} is one of ${option.values.join(', ')}, not ${value}`);
    given[key] = value;
  }
  for (const [key, { optional }] of Object.entries(part.options)) {
    if (!optional && !(key in given)) throw fail(`${name} needs ${key}; ${usage(part)}`);
  }
  return given;
}

function usage({ options }: Part): string {
  const keys = Object.entries(options).map(([key, { optional }]) => (optional ? `[${key}=…]` : `${key}=…`));
  return keys.length === 0 ? 'it takes nothing' : `it takes ${keys.join(' ')}`;
}
