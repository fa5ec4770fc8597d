import { isAlias, isCollection, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { UsageError } from '../errors/usage-errors.ts';

/** The longest text that is read, in characters. */
const longestText = 1024 * 1024;

/** The deepest nesting. The configuration itself has four levels. */
const deepest = 32;

/** How many aliases a text may have. */
const mostAliases = 50;

/**
 * The value of a YAML text that uses plain YAML: no tags, only text as keys, and few aliases, none of them inside an anchor. Throws `UsageError`,
 * which names the place and never repeats a value.
 */
export function parseYaml(yaml: string): unknown {
  if (yaml.length > longestText)
    throw new UsageError(`it is longer than ${longestText} characters; remove what is no configuration`);
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `at line ${line}, column ${col}`;
  };
  const placeOf = (node: Node) => at(node.range?.[0] ?? 0);
  const [error] = document.errors;
  if (error) {
    const [line = ''] = yaml.slice(yaml.lastIndexOf('\n', error.pos[0] - 1) + 1).split('\n', 1);
    // The brace of a variable ends a map in braces too early.
    const cure = /\{.*[^"']\$\{/.test(line) ? 'put ${…} in quotes where it stands within { }' : 'correct the YAML';
    throw new UsageError(`${wordsOf(error.code)} ${at(error.pos[0])}; ${cure}`);
  }

  const anchors = new Set<string>();
  let aliases = 0;
  visit(document, {
    Node: (_key, node, path) => {
      if (!isAlias(node) && node.tag !== undefined) {
        throw new UsageError(`a tag ${placeOf(node)} is not read; write the value without it`);
      }
      if (path.length > deepest * 2) throw new UsageError(`it nests too deep ${placeOf(node)}`);
      if (isAlias(node)) {
        aliases += 1;
        const inAnchor = path.some((parent) => isCollection(parent) && parent.anchor !== undefined);
        if (inAnchor || aliases > mostAliases || !anchors.has(node.source)) {
          throw new UsageError(`an alias ${placeOf(node)} is not read; write the value out`);
        }
      } else if (node.anchor !== undefined) anchors.add(node.anchor);
    },
    Pair: (_key, { key }) => {
      if (isNode(key) && !(isScalar(key) && typeof key.value !== 'object')) {
        throw new UsageError(`a key ${placeOf(key)} is no text; write it as text`);
      }
    },
  });
  return document.toJS({ maxAliasCount: mostAliases });
}

/** An error of the parser without the text around it, such as `bad indentation`. */
function wordsOf(code: string): string {
  return `there is a mistake (${code.toLowerCase().replaceAll('_', ' ')})`;
}
