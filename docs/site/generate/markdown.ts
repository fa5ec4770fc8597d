/** Small pieces of Markdown. Text is escaped where it would otherwise be read as markup. */

/** Text in Markdown. Words between backticks become code; everything else is shown literally. */
export function text(value: string): string {
  return value
    .trim()
    .split(/(`[^`]+`)/)
    .map((part) => (part.startsWith('`') ? part : escaped(part)))
    .join('');
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('*', '\\*').replaceAll('{{', '&#123;{');
}

/** A value as code. A value that contains backticks is enclosed in two of them. */
export function code(value: string): string {
  return value.includes('`') ? `\`\` ${value} \`\`` : `\`${value}\``;
}

export function link(label: string, address: string): string {
  return `[${label}](${address})`;
}

/** A table with one line for each row. A line feed in a cell becomes a space. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/\s*\n\s*/g, ' ').replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

/** A block of code. The fence has more backticks than any line of the code. */
export function fence(language: string, body: string): string {
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${body.replace(/\n+$/, '')}\n${ticks}`;
}

/** A heading with a permanent address. The comment that holds the address is invisible in a repository browser. */
export function heading(level: number, label: string, id: string): string {
  return `${'#'.repeat(level)} ${label} <!-- #${id} -->`;
}

/** A block that the reader can unfold, without any script. Words of `summary` between backticks become code. */
export function details(summary: string, body: string): string {
  const title = markup(summary).replace(/`([^`]+)`/g, '<code>$1</code>');
  return `<details class="details custom-block">\n<summary>${title}</summary>\n\n${body}\n\n</details>`;
}

/** Text escaped for an element or attribute of SVG or HTML. */
export function markup(value: string): string {
  return value
    .trim()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('{{', '&#123;{');
}

/** Joins paragraphs, lists, tables and other blocks, and leaves out empty ones. */
export function blocks(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
