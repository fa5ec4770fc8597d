import { defineConfig } from 'vitepress';
import { restrictPage } from '../build/content-security-policy.ts';
import { writeMarkdownVersions } from '../build/markdown-versions.ts';
import { reference, sections } from '../build/site-map.ts';

/** VitePress writes the text of this one page by script alone. */
function saysNotFound(html: string): string {
  return html.replace('<body>', '<body><noscript><h1>Page not found</h1><a href="/">Start</a></noscript>');
}

export default defineConfig({
  title: 'Assay',
  description: 'The contract of a merchant stablecoin payment API, a reference server, and a conformance suite.',
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]],
  srcDir: '.vitepress/pages',
  cleanUrls: true,
  metaChunk: true,
  // A page loads what it shows, not what it links to.
  router: { prefetchLinks: false },
  themeConfig: {
    logo: { src: '/icon.svg', alt: '' },
    nav: [
      { text: 'Quickstart', link: '/quickstart' },
      { text: 'Operations', link: '/operations/', activeMatch: '^/operations/' },
      { text: 'Conformance', link: '/conformance/', activeMatch: '^/conformance/' },
      { ...reference, target: '_self' },
    ],
    sidebar: [
      ...sections.map(({ text, items }) => ({ text, items })),
      { items: [{ ...reference, text: 'Full reference', target: '_self' }] },
    ],
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        _render(source, env, markdown) {
          // The index has no colours.
          markdown.options.highlight = null;
          return markdown.render(source, env);
        },
      },
    },
    // What a link is called begins with what it shows.
    notFound: {
      linkLabel: 'Take me home',
      quote: 'The address is wrong, or the page has moved. Search, or begin at the start.',
    },
    docFooter: { prev: 'Before', next: 'Next' },
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => {
      // The name of a heading is no part of what its link is called.
      markdown.core.ruler.push('heading-links', ({ tokens }) => {
        for (const link of tokens.flatMap(({ children }) => children ?? [])) {
          const label = link.attrGet('class') === 'header-anchor' ? link.attrGet('aria-label') : null;
          if (label !== null) link.attrSet('aria-label', label.replace(/ \{#[^}]*\}/, '').replaceAll('`', ''));
        }
      });
    },
  },
  transformHead: ({ pageData: { relativePath, isNotFound } }) =>
    isNotFound ? [] : [['link', { rel: 'alternate', type: 'text/markdown', href: `/${relativePath}` }]],
  transformHtml: (html, _file, { page }) => restrictPage(page === '404.md' ? saysNotFound(html) : html),
  buildEnd: ({ pages }) => writeMarkdownVersions(pages),
});
