import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { restrictPage } from '../build/content-security-policy.ts';
import { addMarkdownRules } from '../build/markdown-rules.ts';
import { writeMarkdownVersions } from '../build/markdown-versions.ts';
import { reference, sections } from '../build/site-map.ts';
import { pagesFolder, publicFolder, rootFolder, siteFolder } from '../folders.ts';

/** Adds to the page for unknown addresses a text that needs no script. VitePress writes its own text by script. */
function addNotFoundText(html: string): string {
  return html.replace('<body>', '<body><noscript><h1>Page not found</h1><a href="/">Start</a></noscript>');
}

export default defineConfig({
  title: 'Assay',
  description: 'The contract of a merchant stablecoin payment API, a reference server, and a conformance suite.',
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]],
  srcDir: pagesFolder,
  outDir: siteFolder,
  cacheDir: join(rootFolder, 'node_modules/.cache/vitepress'),
  vite: { publicDir: publicFolder },
  cleanUrls: true,
  metaChunk: true,
  // A page loads only its own files. VitePress would also load the pages that it links to.
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
          // The search index needs no colours in code.
          markdown.options.highlight = null;
          return markdown.render(source, env);
        },
      },
    },
    notFound: {
      // The accessible name of a link must begin with its visible text.
      linkLabel: 'Take me home',
      quote: 'The address is wrong, or the page has moved. Search, or begin at the start.',
    },
    docFooter: { prev: 'Before', next: 'Next' },
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: addMarkdownRules,
  },
  transformHead: ({ pageData: { relativePath, isNotFound } }) =>
    isNotFound ? [] : [['link', { rel: 'alternate', type: 'text/markdown', href: `/${relativePath}` }]],
  transformHtml: (html, _file, { page }) => restrictPage(page === '404.md' ? addNotFoundText(html) : html),
  buildEnd: ({ pages }) => writeMarkdownVersions(pages),
});
