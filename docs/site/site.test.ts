// Tests of the finished site. It is built once and served on loopback, and each page is opened once in a browser.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import MiniSearch from 'minisearch';
import type { Browser, BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  checkoutErrorCodes,
  openPoints,
  orderErrorCodes,
  refundErrorCodes,
  refundFailureCodes,
  requirements,
} from '../../generated/catalogue.ts';
import { launchBrowser } from '../../server/tests/support/browser.ts';
import { reference, sections } from './build/site-map.ts';
import { calculatorTests } from './calculator/page-tests.ts';
import { pagesFolder, rootFolder, siteFolder } from './folders.ts';
import { examplesOf, follow, isObject, members, operations } from './generate/contract.ts';
import { referenceRoute } from './generate/operation-pages.ts';
import { addressOf, buildSite, siteFile, siteFiles } from './testing/site.ts';
import { fileFor, serveSite } from './testing/site-server.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The pages that Redoc makes. */
const references = ['reference.html', 'sandbox-control.html'];

let browser: Browser;
let site: Awaited<ReturnType<typeof serveSite>>;
/** The addresses of all pages except the one for unknown addresses. */
let pages: string[];
/** What was seen of each page. */
const visits = new Map<string, Visit>();
/** What was seen where no script runs, of one page of each kind. */
const visitsWithoutScripts = new Map<string, VisitWithoutScripts>();

beforeAll(async () => {
  await buildSite();
  pages = siteFiles('.html')
    .filter((file) => !references.includes(file) && file !== '404.html')
    .map(addressOf);
  site = await serveSite(siteFolder);
  browser = await launchBrowser();
  // One page for all visits starts fewer processes of the browser.
  const watching = await watched({ permissions: ['clipboard-read', 'clipboard-write'] });
  for (const address of new Set([...pages, ...kinds])) visits.set(address, await visit(address, watching));
  await watching.close();
  const withoutScripts = await watched({ javaScriptEnabled: false });
  for (const address of written) visitsWithoutScripts.set(address, await visitWithoutScripts(address, withoutScripts));
  await withoutScripts.close();
});

afterAll(async () => {
  await browser.close();
  site.close();
});

/** A page with records of its faults: requests to other hosts, errors and complaints of the browser. */
interface Watched {
  page: Page;
  elsewhere: string[];
  complaints: string[];
  /** Returns the size of all response bodies in bytes, as transferred. */
  transferred(): Promise<number>;
  /** Forgets what was seen so far, because another address is visited next. */
  forget(): void;
  close(): Promise<void>;
}

async function watched(options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  const finished: Request[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(site.url) && !url.startsWith('data:')) elsewhere.push(url);
  });
  page.on('requestfinished', (request) => finished.push(request));
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return {
    page,
    elsewhere,
    complaints,
    transferred: async () => {
      const sizes = await Promise.all(finished.map((request) => request.sizes()));
      return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
    },
    forget: () => {
      for (const seen of [elsewhere, complaints, finished]) seen.length = 0;
    },
    close: () => context.close(),
  };
}

/** One page of each kind. */
const kinds = [
  ...['/', '/quickstart', '/signing', '/states', '/webhooks', '/errors', '/requirements', '/open-points', '/changelog'],
  ...['/operations/', '/operations/createRefund', '/conformance/ci', '/conformance/proof', '/nowhere'],
];

/** Of these, the pages that somebody wrote. */
const written = kinds.filter((address) => address !== '/nowhere');

/** Pages that together show everything coloured. In the dark only the colours differ, so the other pages are left out. */
const coloured = ['/', '/signing', '/states', '/errors', '/operations/createRefund', '/conformance/ci'];

/** The samples that pages include, each in a tab. */
const samples = pageSources().flatMap((source) =>
  [...source.text.matchAll(/^<!-- begin sample file=(\S+) region=(\S+) tab=(\S+) -->$/gm)].map(
    ([, path = '', region = '', tab = '']) => ({ address: source.address, path, region, tab }),
  ),
);

/** What was seen of a page. */
interface Visit {
  elsewhere: readonly string[];
  complaints: readonly string[];
  bytes: number;
  /** The words of the text, and the labels of the tabs of code; of one page of each kind. */
  words: readonly string[];
  tabs: readonly string[];
  /** The serious and critical accessibility findings, of one page of each kind. */
  findings: string[];
  /** The samples that the copy buttons copied, by file and region. */
  copied: Record<string, string>;
}

/** What was seen of a page where no script runs. */
interface VisitWithoutScripts {
  words: readonly string[];
  /** The number of code blocks that are hidden. */
  hiddenCode: number;
}

async function visit(address: string, watching: Watched): Promise<Visit> {
  const { page, elsewhere, complaints, transferred, forget } = watching;
  forget();
  await page.goto(site.url + address);
  // Vue marks the element when its scripts have taken over the page.
  await page.waitForFunction(`document.querySelector('#app')?.__vue_app__`);
  const bytes = await transferred();
  const isWritten = written.includes(address);
  const words = isWritten ? await wordsOf(page) : [];
  const tabs = isWritten ? wordsIn((await page.locator('.vp-code-group .tabs').allInnerTexts()).join(' ')) : [];
  const copied = await copySamples(address, page);
  const findings = kinds.includes(address) ? await findingsOf(address, page) : [];
  return { elsewhere: [...elsewhere], complaints: [...complaints], bytes, words, tabs, findings, copied };
}

/**
 * How many parts of a page, entries of a list or table, folded parts, and lines of a code block are examined: there are hundreds
 * that are made alike.
 */
const examined = { parts: 100, entries: 12, lines: 12 };

/** The serious and critical accessibility findings in light colours, and for some pages in dark ones. Shortens the page. */
async function findingsOf(address: string, page: Page): Promise<string[]> {
  const all: string[] = [];
  await page.evaluate(`{
    const keep = (elements, most) => [...elements].slice(most).forEach((each) => each.remove());
    const shorten = (selector, most) => document.querySelectorAll(selector).forEach(({ children }) => keep(children, most));
    keep(document.querySelectorAll('.vp-doc details'), ${examined.entries});
    shorten('.vp-doc > div', ${examined.parts});
    shorten('.vp-doc :is(ul, ol, tbody)', ${examined.entries});
    shorten('.vp-doc pre code', ${examined.lines});
  }`);
  await page.evaluate(axe);
  for (const colorScheme of coloured.includes(address) ? (['light', 'dark'] as const) : (['light'] as const)) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html${colorScheme === 'dark' ? '.dark' : ':not(.dark)'}`).waitFor();
    const rules = colorScheme === 'dark' ? `, runOnly: ['color-contrast']` : '';
    const { violations } = await page.evaluate<AxeResults>(`axe.run({ resultTypes: ['violations']${rules} })`);
    const found = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    all.push(...found.map(({ id, nodes }) => `${colorScheme}, ${id}: ${nodes.map(({ html }) => html).join(' ')}`));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return all;
}

async function visitWithoutScripts(address: string, { page }: Watched): Promise<VisitWithoutScripts> {
  await page.goto(site.url + address);
  const hiddenCode = await page.locator('.vp-code-group pre').filter({ visible: false }).count();
  return { words: await wordsOf(page), hiddenCode };
}

const wordsIn = (text: string) => text.replaceAll('\u200b', '').split(/\s+/);

/** The words that a page shows beside its navigation. */
const wordsOf = async (page: Page) => wordsIn(await page.locator('.vp-doc').innerText());

/** Presses the copy button of each sample of the page, and reads the clipboard. Only the first is pressed as with a mouse. */
async function copySamples(address: string, page: Page): Promise<Record<string, string>> {
  const copied: Record<string, string> = {};
  for (const [index, { path, region, tab }] of samples.filter((sample) => sample.address === address).entries()) {
    const press = (target: Locator) => (index === 0 ? target.click() : target.dispatchEvent('click'));
    const group = page
      .locator('.vp-code-group')
      .filter({ hasText: sampleRegion(path, region) })
      .first();
    await press(group.locator('.tabs').getByText(tab, { exact: true }));
    const code = group.locator('div[class*="language-"].active');
    if (index === 0) await code.hover();
    await press(code.locator('button.copy'));
    copied[`${path}#${region}`] = (await page.evaluate<string>('navigator.clipboard.readText()')).trim();
  }
  return copied;
}

/** Something of each of these visits, by address. */
function ofVisits<Seen>(addresses: readonly string[], look: (visit: Visit) => Seen): [address: string, seen: Seen][] {
  return addresses.map((address) => [address, look(visitOf(visits, address))]);
}

function visitOf<Seen>(among: ReadonlyMap<string, Seen>, address: string): Seen {
  const seen = among.get(address);
  if (!seen) throw new Error(`${address} was not visited`);
  return seen;
}

describe('every page', () => {
  test('loads nothing from another host, follows its policy, and is at most 200 kB in size', () => {
    const bad = ofVisits(pages, ({ elsewhere, complaints }) => [...elsewhere, ...complaints]);
    expect(bad.filter(([, found]) => found.length > 0)).toEqual([]);
    const sizes = ofVisits(pages, ({ bytes }) => bytes);
    expect(sizes.filter(([, bytes]) => bytes >= 200_000 || bytes === 0)).toEqual([]);
  });

  test('has a policy that permits no script beyond its own', async () => {
    const { page, complaints, close } = await watched();
    await page.goto(`${site.url}/signing`);
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { textContent: 'globalThis.smuggled = 1' }))`,
    );
    expect(await page.evaluate('globalThis.smuggled')).toBeUndefined();
    expect(complaints.join()).toContain('Content Security Policy');
    await close();
  });

  test('links only to pages and headings that exist', () => {
    const idsOf = new Map<string, Set<string>>();
    const ids = (file: string) => {
      const known =
        idsOf.get(file) ?? new Set([...siteFile(file).matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id));
      idsOf.set(file, known);
      return known;
    };
    const broken = siteFiles('.html')
      .filter((file) => !references.includes(file))
      .flatMap((from) =>
        [...siteFile(from).matchAll(/\s(?:href|src)="([^"]*)"/g)].flatMap(([, link = '']) => {
          const url = new URL(link.replaceAll('&amp;', '&'), `http://site${addressOf(from)}`);
          if (url.host !== 'site') return [];
          const file = fileFor(siteFolder, decodeURIComponent(url.pathname))?.slice(siteFolder.length + 1);
          const fragment = decodeURIComponent(url.hash.slice(1));
          const found = file !== undefined && (fragment === '' || references.includes(file) || ids(file).has(fragment));
          return found ? [] : [`${from}: ${link}`];
        }),
      );
    expect(broken).toEqual([]);
  });

  test('is in the navigation, which names nothing else', () => {
    const named = sections.flatMap(({ items }) => items.map(({ link }) => link));
    expect([...named].sort()).toEqual([...pages].sort());
  });

  test('has a Markdown version, which llms.txt lists', () => {
    const listed = [...siteFile('llms.txt').matchAll(/\]\(\/(.*?\.md)\)/g)].map(([, path]) => path);
    expect([...listed].sort()).toEqual(
      pages.map((page) => `${page.slice(1)}${page.endsWith('/') ? 'index' : ''}.md`).sort(),
    );
    for (const path of siteFiles('.md')) {
      const markdown = siteFile(path);
      expect(markdown, path).toMatch(/^# \S/);
      expect(markdown.replace(/^(`{3,})[\s\S]*?^\1$/gm, ''), path).not.toMatch(/<!--|^:::|<details|<summary|^!\[/m);
    }
    expect(siteFile('signing.md')).toContain(sampleRegion('docs/samples/python/signature.py', 'sign'));
  });
});

describe('every kind of page', () => {
  test('has no serious or critical accessibility finding, in light and in dark colours', () => {
    const findings = ofVisits(kinds, (seen) => seen.findings);
    expect(findings.filter(([, found]) => found.length > 0)).toEqual([]);
  });

  test('shows all its text without scripts', () => {
    const missing = written.map((address) => {
      const { words, tabs } = visitOf(visits, address);
      const seen = new Set([...visitOf(visitsWithoutScripts, address).words, ...tabs]);
      return [address, words.filter((word) => !seen.has(word))] as const;
    });
    // Only the calculator of the signing page is made by a script.
    expect(missing.filter(([address, words]) => words.length > 0 && address !== '/signing')).toEqual([]);
    const hidden = written.map((address) => [address, visitOf(visitsWithoutScripts, address).hiddenCode] as const);
    expect(hidden.filter(([, count]) => count > 0)).toEqual([]);
  });
});

describe('search', () => {
  let index: MiniSearch;

  beforeAll(async () => {
    const folder = join(siteFolder, 'assets/chunks');
    const file = readdirSync(folder).find((name) => name.startsWith('@localSearchIndexroot'));
    const { default: json }: { default: string } = await import(pathToFileURL(join(folder, String(file))).href);
    // These are the options of the search box of VitePress.
    index = MiniSearch.loadJSON(json, {
      fields: ['title', 'titles', 'text'],
      storeFields: ['title', 'titles'],
      searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
    });
  });

  const codes = [...orderErrorCodes, ...checkoutErrorCodes, ...refundErrorCodes, ...refundFailureCodes].map(
    ({ code }) => code,
  );
  const sought: [kind: string, asked: readonly string[], address: (id: string) => string][] = [
    ['operation', operations.map(({ id }) => id), (id) => `/operations/${id}#${id}`],
    ['error code', [...new Set(codes)], (code) => `/errors#${code}`],
    ['requirement', requirements.map(({ id }) => id), (id) => `/requirements#${id}`],
    ['open point', openPoints.map(({ id }) => id), (id) => `/open-points#${id}`],
  ];

  test.each(sought)('finds every %s by its id, among the first five', (_kind, asked, address) => {
    const found = (id: string) =>
      index
        .search(id)
        .slice(0, 5)
        .map((result) => result.id);
    expect(asked.filter((id) => !found(id).includes(address(id)))).toEqual([]);
  });

  test('leads from the search box to the heading that was found', async () => {
    const { page, complaints, close } = await watched();
    await page.goto(site.url);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('INSUFFICIENT_BALANCE');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${site.url}/errors#INSUFFICIENT_BALANCE`);
    expect(complaints).toEqual([]);
    await close();
  });
});

/** The lines of one region of a sample, without the indentation that they share. */
function sampleRegion(path: string, region: string): string {
  const lines = readFileSync(join(rootFolder, path), 'utf8').split('\n');
  const start = lines.findIndex((line) => line.endsWith(`#region ${region}`));
  const end = lines.findIndex((line) => line.endsWith(`#endregion ${region}`));
  const inside = lines.slice(start + 1, end).filter((line) => !/#(end)?region/.test(line));
  const indent = /^\s*/.exec(inside[0] ?? '')?.[0] ?? '';
  return inside.map((line) => line.replace(indent, '')).join('\n');
}

test('the copy button copies each tested sample', () => {
  expect(samples.length).toBeGreaterThan(10);
  const copied = samples.map(({ address, path, region }) => visits.get(address)?.copied[`${path}#${region}`]);
  expect(copied).toEqual(samples.map(({ path, region }) => sampleRegion(path, region).trim()));
});

/** The hand-written pages with their addresses. */
function pageSources(): { address: string; text: string }[] {
  return sections.flatMap(({ items }) =>
    items.flatMap(({ link }) => {
      const file = join(pagesFolder, `${link}${link.endsWith('/') ? 'index' : ''}.md`);
      return link.startsWith('/operations/') && link !== '/operations/'
        ? []
        : [{ address: link, text: readFileSync(file, 'utf8') }];
    }),
  );
}

describe('the pages of the operations', () => {
  test.each(operations.map((operation) => [operation.id, operation] as const))(
    '%s has every example of the contract',
    (id, operation) => {
      const page = siteFile(`operations/${id}.md`);
      const shown = [...page.matchAll(/^```json\n([\s\S]*?)\n```$/gm)].map(([, json = '']): unknown =>
        JSON.parse(json),
      );
      const bodies = [
        operation.value.requestBody,
        ...members(operation.value.responses).map(([, response]) => response),
      ];
      const examples = bodies.flatMap((body) => (isObject(body) ? examplesOf(follow(body)) : []));
      expect(examples.length).toBeGreaterThan(0);
      for (const [, , value] of examples) expect(shown).toContainEqual(value);
    },
  );
});

describe('the full reference', () => {
  test.each(references)('%s opens from disk and loads nothing else', async (file) => {
    const { page, elsewhere, complaints, close } = await watched();
    const url = pathToFileURL(join(siteFolder, file)).href;
    await page.goto(url, { waitUntil: 'networkidle' });
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    expect(elsewhere).toEqual([url]);
    expect(complaints).toEqual([]);
    const links = await Promise.all((await page.getByRole('link').all()).map((link) => link.getAttribute('href')));
    expect(links.filter((link) => link?.startsWith('#/')).length).toBeGreaterThan(3);
    expect(links.filter((link) => !/^(#|https:)/.test(link ?? ''))).toEqual([]);
    await close();
  });

  test('has a route for each operation, which its page links to', async () => {
    const { page, close } = await watched();
    await page.goto(`${site.url}${reference.link}`);
    for (const operation of operations) {
      const route = referenceRoute(operation);
      expect(siteFile(`operations/${operation.id}.html`)).toContain(`href="${reference.link}#${route}"`);
      await page.evaluate(`location.hash = ${JSON.stringify(route)}`);
      await page
        .locator(`[id="${route.slice(1)}"]`)
        .filter({ hasText: operation.summary })
        .waitFor();
    }
    await close();
  });
});

test('an unknown address shows a page that says so, with a link to the start', async () => {
  const { page, close } = await watched();
  const response = await page.goto(`${site.url}/nowhere`);
  expect(response?.status()).toBe(404);
  await page.getByText('PAGE NOT FOUND').waitFor();
  await page.getByRole('link', { name: /home/i }).click();
  await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
  await close();
});

test('on paper there is no navigation, and everything is unfolded', async () => {
  const { page, close } = await watched();
  await page.goto(`${site.url}/operations/createOrder`);
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.VPNav, .VPSidebar, .VPDocAside').filter({ visible: true }).count()).toBe(0);
  const folded = page.locator('details:not([open]) pre');
  expect(await folded.count()).toBeGreaterThan(0);
  expect(await folded.filter({ visible: false }).count()).toBe(0);
  await close();
});

calculatorTests(async () => {
  const { page, close } = await watched();
  await page.goto(`${site.url}/signing`);
  await page.locator('#calculator-example').waitFor();
  return { page, close };
});
