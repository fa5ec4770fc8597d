/** Small pieces of Markdown, with everything escaped that would otherwise be read as markup. */

/** Text that stands as it is, but for what it has in backticks, which becomes code. */
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

/** A value as code; values with backticks of their own are fenced by more of them. */
export function code(value: string): string {
  return value.includes('`') ? `\`\` ${value} \`\`` : `\`${value}\``;
}

export function link(label: string, address: string): string {
  return `[${label}](${address})`;
}

/** A table with one line for each row; a line feed in a cell becomes a space. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/\s*\n\s*/g, ' ').replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

/** A block of code, fenced by more backticks than it holds. */
export function fence(language: string, body: string): string {
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${body.replace(/\n+$/, '')}\n${ticks}`;
}

/** A heading whose address never changes, whatever its text. */
export function heading(level: number, label: string, id: string): string {
  return `${'#'.repeat(level)} ${label} {#${id}}`;
}

/** Something to unfold. It is part of the page, and needs no script. */
export function details(summary: string, body: string): string {
  return `::: details ${summary}\n\n${body}\n\n:::`;
}

/** Text for an SVG or HTML attribute or element. */
export function markup(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Paragraphs, lists and the like, one below the other; empty ones are left out. */
export function blocks(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
