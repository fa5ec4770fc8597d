import type { MarkdownRenderer } from 'vitepress';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

/** Adds the rules by which the site reads the Markdown of the pages differently from a repository browser. */
export function addMarkdownRules(markdown: MarkdownRenderer): void {
  const { ruler } = markdown.core;
  ruler.before('anchor', 'heading-addresses', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const text = tokens[index + 1];
      if (token.type === 'heading_open' && text) takeAddress(token, text);
    }
  });
  ruler.push('files-outside', ({ tokens }) => {
    for (const link of linksIn(tokens)) {
      // VitePress would take a link to a file that is not a page for a link to a page.
      if (/^\/[\w-]+\.\w+(#|$)/.test(link.attrGet('href') ?? '')) link.attrSet('target', '_self');
    }
  });
  ruler.push('heading-labels', ({ tokens }) => {
    // The label of a link to a heading is read aloud, so it has no backticks.
    for (const link of linksIn(tokens)) {
      const label = link.attrGet('class') === 'header-anchor' ? link.attrGet('aria-label') : null;
      if (label !== null) link.attrSet('aria-label', label.replaceAll('`', ''));
    }
  });
}

/** Makes the comment at the end of a heading, `<!-- #address -->`, the address of the heading. */
function takeAddress(heading: Token, text: Token): void {
  const comment = text.children?.at(-1);
  const [whole, address] = /^<!-- #(\S+) -->$/.exec(comment?.content ?? '') ?? [];
  if (whole === undefined || address === undefined) return;
  heading.attrSet('id', address);
  text.content = text.content.slice(0, -whole.length).trimEnd();
  text.children?.pop();
  const last = text.children?.at(-1);
  if (last?.type === 'text') last.content = last.content.trimEnd();
}

function linksIn(tokens: readonly Token[]): Token[] {
  return tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open');
}
