import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requirements } from '../../generated/catalogue.ts';
import { launchBrowser } from '../../server/tests/support/browser.ts';
import type { CheckReport, Report } from '../run/report.ts';
import { hostileReport, hostileText } from '../tests/support/hostile-run.ts';
import { causesOf } from './causes/index.ts';
import { junitReport } from './junit.ts';
import { markdownReport } from './markdown.ts';
import { htmlReport } from './page/page.ts';
import { textSummary } from './text.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-reports-'));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let report: Report;
let browser: Browser;
beforeAll(async () => {
  [report, browser] = await Promise.all([hostileReport(), launchBrowser()]);
  // Of the verdicts that there are, these do not come about by themselves.
  const [warned, known, stuck] = report.checks.filter(({ verdict }) => verdict === 'failed').slice(1);
  if (warned) warned.verdict = 'warned';
  if (known) known.baseline = { reason: 'ticket <4711>' };
  if (stuck) Object.assign(stuck, { verdict: 'inconclusive', reason: hostileText, expected: null, actual: null });
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

const withVerdict = (verdict: string, of = report) => of.checks.filter((check) => check.verdict === verdict);

/** The command that runs a check again, with those that have sent requests for it. */
const commandFor = ({ id }: CheckReport) =>
  new RegExp(`assay run --target ${report.target} --check ${id}( --check \\S+)* --seed 1`);

function first(verdict: string): CheckReport {
  const [check] = withVerdict(verdict);
  if (!check) throw new Error(`the run has no check that is ${verdict}`);
  return check;
}

/** The files of the pages that were opened. */
const files = new Map<Report, string>();

function fileOf(of: Report): string {
  const file = files.get(of) ?? join(folder, `report-${files.size}.html`);
  if (!files.has(of)) writeFileSync(file, htmlReport(of));
  files.set(of, file);
  return file;
}

/** The page of a report, opened, with all that went wrong on it or that it asked anybody for. */
async function open(of: Report, options: BrowserContextOptions = {}): Promise<{ page: Page; trouble: string[] }> {
  const file = fileOf(of);
  const page = await (await browser.newContext(options)).newPage();
  const trouble: string[] = [];
  page.on('console', (message) => trouble.push(message.text()));
  page.on('pageerror', ({ message }) => trouble.push(message));
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href) trouble.push(request.url());
  });
  await page.goto(pathToFileURL(file).href);
  return { page, trouble };
}

const openAll = (page: Page) =>
  page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
/** Scrolls to a card, and waits until the browser has drawn it: it draws no card that is out of sight. */
async function show(card: Locator): Promise<void> {
  const id = await card.getAttribute('id');
  await card.page().evaluate(`document.getElementById('${id}').scrollIntoView()`);
  await expect.poll(() => card.innerText()).not.toBe('');
}
const checkCard = (page: Page, id: string) => page.locator(`[id="check-${id}"]`);

describe('the page', () => {
  it('runs nothing and loads nothing that a target sent, and keeps its shape', async () => {
    const { page, trouble } = await open(report);
    await openAll(page);
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(await page.locator('img, iframe, testcase, script:not(body > script:last-child)').count()).toBe(0);
    expect(await page.locator('body > *').count()).toBe(5);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    }
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it('has a policy that lets nothing else run', async () => {
    const { page } = await open(report);
    await page.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'window.ran = 1';
      const image = document.createElement('img');
      image.setAttribute('onerror', 'window.ran = 1');
      image.src = 'x';
      document.body.append(script, image);
    }`);
    expect(await page.evaluate('window.ran')).toBeUndefined();
    const policy = await page.locator('meta[http-equiv]').getAttribute('content');
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-\S+'; script-src 'sha256-\S+'; base-uri 'none'/);
    await page.context().close();
  });

  it('shows text that somebody sent without characters that change what stands around it', () => {
    const text = htmlReport(report);
    expect(text).not.toMatch(/[^\P{C}\n\t]/u);
    expect(text).toContain('\\u{202e}gnp.exe');
  });

  it('has no serious or critical finding in light and in dark colours', async () => {
    const { page } = await open(report, { colorScheme: 'light' });
    const [shown] = report.checks.filter(({ verdict }) => verdict === 'failed');
    await checkCard(page, shown?.id ?? '').evaluate('(card) => { card.open = true }');
    await page.locator('.exchange, .curl, .area, .point details').evaluateAll((all) => {
      for (const each of all.slice(0, 12)) each.setAttribute('open', '');
    });
    // Hundreds of rows are made alike, and each is looked at for as long as the first.
    await page.locator('[data-item=requirement]').evaluateAll((all) => {
      for (const each of all.slice(30)) each.remove();
    });
    await page.evaluate(axe);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      // In the dark only the colours differ.
      const rules = colorScheme === 'dark' ? `, runOnly: ['color-contrast']` : '';
      const { violations } = await page.evaluate<AxeResults>(`axe.run({ resultTypes: ['violations']${rules} })`);
      const findings = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      const found = findings.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 300)}`);
      expect({ colorScheme, findings: found }).toEqual({ colorScheme, findings: [] });
    }
    await page.context().close();
  });

  it('says of a failure which sentence is broken, both sides, what was sent, and how to see it again', async () => {
    const { page } = await open(report);
    const check = first('failed');
    const card = checkCard(page, check.id);
    await show(card);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Not conformant');
    const text = await card.innerText();
    const sentence = requirements.find(({ id }) => id === check.brokenRequirement)?.text;
    for (const part of [check.title, check.id, sentence, 'EXPECTED', 'ACTUAL', 'SEE IT AGAIN']) {
      expect(text.toLowerCase()).toContain(part?.replaceAll('`', '').toLowerCase());
    }
    expect(text).toMatch(commandFor(check));
    const request = check.exchanges[(check.decisiveExchange ?? 1) - 1]?.request;
    expect(await card.locator('.exchange[open] pre').first().innerText()).toContain(
      `${request?.method} ${request?.url}`,
    );
    await page.context().close();
  });

  it('begins with the causes, each with the checks that have it and a command that shows it', async () => {
    const { page } = await open(report);
    await openAll(page);
    const causes = page.getByRole('region', { name: 'Causes' }).locator('details');
    const findings = ['failed', 'warned', 'inconclusive'].flatMap((verdict) => withVerdict(verdict));
    expect(await causes.locator('.check-link').count()).toBe(findings.length);
    expect(await causes.first().locator('code').innerText()).toMatch(
      /^npx --no-install assay run .*--check \S+ --seed 1$/,
    );
    expect(await causes.count()).toBeLessThan(findings.length);
    await page.context().close();
  });

  it('keeps the counts of a cause on one line where there is room', async () => {
    const { page } = await open(report, { viewport: { width: 1280, height: 900 } });
    const counts = page.getByRole('region', { name: 'Causes' }).locator('summary > .muted').first();
    const heightOf = async (text: string) => {
      await page.evaluate(`document.querySelector('#causes summary > .muted').textContent = ${JSON.stringify(text)}`);
      return (await counts.boundingBox())?.height;
    };
    const line = await heightOf('1');
    expect(line).toBeGreaterThan(0);
    expect(await heightOf('21 failed, 298 without a verdict')).toBe(line);
    expect(await heightOf('298 without a verdict, '.repeat(20))).toBeGreaterThan(line ?? 0);
    await page.context().close();
  });

  it('copies a command, and selects it where nothing can be copied', async () => {
    const { page } = await open(report);
    await page.evaluate(
      'Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text } } })',
    );
    const card = checkCard(page, first('failed').id);
    await show(card);
    const button = card.locator('button').first();
    expect(await button.innerText()).toMatch(/^Copy\s+command that repeats /);
    await button.click();
    expect(await page.evaluate('window.copied')).toBe(await card.locator('code', { hasText: 'assay run' }).innerText());
    await expect.poll(() => button.innerText()).toContain('Copied');
    await page.evaluate('navigator.clipboard.writeText = async () => { throw new Error("no") }');
    await button.click();
    await expect.poll(() => page.evaluate('String(getSelection())')).toContain('assay run');
    await page.context().close();
  });

  it('draws what each event did in each state, and leads from there to the check', async () => {
    const { page } = await open(report);
    const grid = page.getByRole('table', { name: 'Hosted order' });
    const row = grid.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'INIT' }) });
    const wrong = row.getByRole('cell').first();
    expect(await wrong.innerText()).toMatch(/^✗ → <\/script>.*must become PROCESSING$/s);
    await wrong.getByRole('link').click();
    await expect.poll(() => page.evaluate('document.querySelector(":target")?.open')).toBe(true);
    expect(await page.evaluate('document.querySelector(":target").id')).toBe(
      'check-orders.state.init.transaction-detected',
    );
    await page.context().close();
  });

  it('shows both ways between requirements and checks', async () => {
    const { page } = await open(report);
    await openAll(page);
    const { id, requirements: ids } = first('passed');
    const requirement = page.locator(`[id="requirement-${ids[0]}"]`);
    expect(await requirement.getByRole('link', { name: id }).first().getAttribute('href')).toBe(`#check-${id}`);
    const link = checkCard(page, id).getByRole('link', { name: ids[0] ?? '', exact: true });
    expect(await link.getAttribute('href')).toBe(`#requirement-${ids[0]}`);
    expect(await page.locator('[data-item=requirement]').count()).toBe(requirements.length);
    await page.context().close();
  });

  it('filters by verdict, area, level and words, and says what is left', async () => {
    const { page } = await open(report);
    const shown = () => page.locator('[data-item=check]:not(.card):not([hidden])').count();
    await page.getByRole('checkbox', { name: 'skipped' }).check();
    expect(await shown()).toBe(withVerdict('skipped').length);
    expect(await page.getByRole('status').innerText()).toContain(
      `${withVerdict('skipped').length} of ${report.checks.length} checks`,
    );
    expect(await page.locator('.card:visible').count()).toBe(0);
    await page.getByRole('button', { name: 'Clear' }).click();
    expect(await shown()).toBe(report.checks.length);
    await page.getByLabel('Area').selectOption('auth');
    await page.getByLabel('Level').selectOption('MUST');
    expect(await shown()).toBe(report.checks.filter(({ area, level }) => area === 'auth' && level === 'MUST').length);
    await page.getByRole('button', { name: 'Clear' }).click();
    const { id } = first('failed');
    await page.getByRole('searchbox', { name: 'Find' }).fill(id.toUpperCase());
    expect(await page.locator('.card:visible').first().getAttribute('id')).toBe(`check-${id}`);
    expect(await shown()).toBe(report.checks.filter((each) => each.id.includes(id)).length);
    await page.context().close();
  });

  it('can be used with the keyboard alone', async () => {
    const { page } = await open(report);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the findings');
    const second = page.locator('.card > summary').nth(1);
    await second.focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('.card').nth(1).getAttribute('open')).not.toBeNull();
    await page.context().close();
  });

  it('can be read without its script', async () => {
    const { page } = await open(report, { javaScriptEnabled: false });
    const check = first('warned');
    await checkCard(page, check.id).locator('summary').first().click();
    expect(await checkCard(page, check.id).innerText()).toContain(`--check ${check.id}`);
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await page.getByRole('searchbox').count()).toBe(0);
    await page.context().close();
  });

  it('says why checks were skipped, and what was observed at open points', async () => {
    const { page } = await open(report);
    expect(await page.locator('#skipped').innerText()).toContain(first('skipped').reason);
    const point = report.openPoints.find(({ observed }) => observed.length > 0);
    expect(await page.locator('#open-points').innerText()).toContain(point?.id);
    expect(await page.locator('#open-points .point').count()).toBe(
      report.openPoints.filter(({ observed }) => observed.length > 0).length,
    );
    await page.context().close();
  });

  it('prints what is folded, without what can only be clicked', async () => {
    const { page } = await open(report);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    expect(await page.locator('.card:not([open])').count()).toBe(0);
    expect(await page.locator('nav:visible, .filters:visible, button:visible').count()).toBe(0);
    await page.context().close();
  });

  it('holds a thousand checks, most of them failed', async () => {
    const many = report.checks.flatMap((check) =>
      Array.from({ length: 1 + 1000 / report.checks.length }, (_, index) => ({ ...check, id: `${check.id}.${index}` })),
    );
    const { page, trouble } = await open({ ...report, checks: many.slice(0, 1000) });
    await page.getByRole('searchbox').fill(`${many[999]?.id}`);
    expect(await page.locator('[data-item=check]:not(.card):visible').count()).toBe(1);
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it('greets a run without findings', async () => {
    const checks = withVerdict('passed');
    const { page } = await open({ ...report, outcome: 'conformant', checks });
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Conformant');
    expect(await page.locator('.card').count()).toBe(0);
    await page.context().close();
  });
});

/** What the JUnit formats of Jenkins and GitLab have in common: attributes and children by element. */
const junitSchema: Readonly<Record<string, { attributes: string[]; children: string[] }>> = {
  testsuites: { attributes: ['name', 'tests', 'failures', 'errors', 'skipped', 'time'], children: ['testsuite'] },
  testsuite: {
    attributes: ['name', 'tests', 'failures', 'errors', 'skipped', 'time', 'timestamp'],
    children: ['properties', 'testcase'],
  },
  properties: { attributes: [], children: ['property'] },
  property: { attributes: ['name', 'value'], children: [] },
  testcase: {
    attributes: ['name', 'classname', 'time'],
    children: ['skipped', 'error', 'failure', 'system-out'],
  },
  failure: { attributes: ['type', 'message'], children: [] },
  error: { attributes: ['type', 'message'], children: [] },
  skipped: { attributes: ['message'], children: [] },
  'system-out': { attributes: [], children: [] },
};

describe('the JUnit report', () => {
  interface Element {
    name: string;
    attributes: Record<string, string>;
    children: Element[];
    text: string;
  }
  let root: Element;
  let elements: Element[];
  beforeAll(async () => {
    const page = await browser.newPage();
    root = await page.evaluate(
      `(() => {
        const tree = (element) => ({
          name: element.localName,
          attributes: Object.fromEntries(Array.from(element.attributes, ({ name, value }) => [name, value])),
          children: Array.from(element.children, tree),
          text: element.textContent,
        });
        return tree(new DOMParser().parseFromString(${JSON.stringify(junitReport(report))}, 'application/xml').documentElement);
      })()`,
    );
    await page.close();
    const all = (element: Element): Element[] => [element, ...element.children.flatMap(all)];
    elements = all(root);
  });

  const caseOf = ({ id }: CheckReport) =>
    elements.find(({ name, attributes }) => name === 'testcase' && attributes.name === id);

  it('is XML 1.0 with the elements and attributes that CI systems know, whatever a target sent', () => {
    expect(root.name, root.text.slice(0, 500)).toBe('testsuites');
    for (const { name, attributes, children } of elements) {
      expect(Object.keys(junitSchema)).toContain(name);
      expect(Object.keys(attributes).sort()).toEqual([...(junitSchema[name]?.attributes ?? [])].sort());
      expect(junitSchema[name]?.children).toEqual(expect.arrayContaining(children.map((child) => child.name)));
    }
    // What XML 1.0 allows.
    expect(junitReport(report)).not.toMatch(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
  });

  it('names in each suite what to fix first', () => {
    const [cause] = causesOf(report);
    const named = elements.filter(({ name, attributes }) => name === 'property' && attributes.name === 'fix-first');
    expect(named).toHaveLength(elements.filter(({ name }) => name === 'testsuite').length);
    for (const { attributes } of named) expect(attributes.value).toContain(cause?.text);
  });

  it('has a suite for each area and a test case for each check, counted by verdict', () => {
    const suites = elements.filter(({ name }) => name === 'testsuite');
    expect(suites.map(({ attributes }) => attributes.name).sort()).toEqual(['assay.auth', 'assay.orders']);
    const ids = elements.filter(({ name }) => name === 'testcase').map(({ attributes }) => attributes.name);
    expect(ids.sort()).toEqual(report.checks.map(({ id }) => id).sort());
    for (const suite of [root, ...suites]) {
      const cases = suite === root ? suites.flatMap(({ children }) => children) : suite.children;
      const having = (child: string) => cases.filter(({ children }) => children[0]?.name === child).length;
      expect(suite.attributes).toMatchObject({
        tests: String(cases.filter(({ name }) => name === 'testcase').length),
        failures: String(having('failure')),
        errors: String(having('error')),
        skipped: String(having('skipped')),
      });
    }
  });

  it('tells of each verdict in the child that a CI system shows for it', () => {
    const failed = first('failed');
    const [failure] = caseOf(failed)?.children ?? [];
    const sentence = requirements.find(({ id }) => id === failed.brokenRequirement)?.text ?? '';
    expect(failure).toMatchObject({
      name: 'failure',
      attributes: { message: `${failed.brokenRequirement}: ${sentence}` },
    });
    for (const part of [sentence, `expected: ${failed.expected}`, 'actual:', 'HTTP 200', `--check ${failed.id}`]) {
      expect(failure?.text).toContain(part);
    }
    expect(caseOf(first('skipped'))?.children[0]).toMatchObject({
      name: 'skipped',
      attributes: { message: first('skipped').reason },
    });
    expect(caseOf(first('inconclusive'))?.children[0]).toMatchObject({ name: 'error' });
    expect(caseOf(first('warned'))?.children[0]).toMatchObject({ name: 'system-out' });
    expect(caseOf(first('passed'))?.children).toEqual([]);
    const known = report.checks.find(({ baseline }) => baseline);
    expect(known && caseOf(known)?.children[0]?.attributes.message).toMatch(/^known \(ticket <4711>\): /);
  });
});

it('the summary of many failures says what was expected, however long what came is', () => {
  const failed = { ...first('failed'), actual: 'x'.repeat(900), expected: 'a webhook of the order that is now FAILED' };
  const lines = textSummary({ ...report, checks: Array.from({ length: 40 }, () => failed) }).split('\n');
  expect(lines).toContainEqual(expect.stringMatching(/x… ?; expected: a webhook of the order that is now FAILED$/));
});

describe('what the whole run shows', () => {
  const sign = 'GETs get an earlier answer again: <something> between keeps them';
  const withSign = (checks = report.checks): Report => ({ ...report, checks, signs: [sign] });
  const passed = () => withVerdict('passed');

  it('stands on the page above the causes, also where nothing failed', async () => {
    const { page } = await open(withSign());
    const causes = page.getByRole('region', { name: 'Causes' });
    const text = await causes.innerText();
    expect(text).toContain(`Fix first, as findings may come from it: ${sign}.`);
    expect(text.indexOf(sign)).toBeLessThan(text.indexOf(causesOf(report)[0]?.text ?? ''));
    await page.context().close();
    const calm = await open(withSign(passed()));
    expect(await calm.page.getByRole('region', { name: 'Causes' }).innerText()).toContain(`In the whole run: ${sign}.`);
    await calm.page.context().close();
  });

  it('stands in the job summary above the causes, also where nothing failed', () => {
    const shown = 'GETs get an earlier answer again&#58; &#60;something&#62; between keeps them.';
    expect(markdownReport(withSign())).toMatch(
      new RegExp(`\\n\\*\\*Fix first, as findings may come from it:\\*\\* ${shown}\\n\\n### Then fix\\n`),
    );
    expect(markdownReport(withSign(passed()))).toContain(`\n**In the whole run:** ${shown}\n`);
  });

  it('stands among the properties of each JUnit suite', () => {
    const shown = 'GETs get an earlier answer again: &lt;something&gt; between keeps them.';
    const junit = junitReport(withSign());
    const suites = new Set(report.checks.map(({ area }) => area)).size;
    const before = `<property name="fix-first" value="${shown} Findings may come from it."/>`;
    expect(junit.split(before)).toHaveLength(suites + 1);
    expect(junit).toContain('<property name="fix-then" value="');
    expect(junitReport(report)).not.toContain('fix-then');
    expect(junitReport(withSign(passed()))).toContain(`<property name="whole-run" value="${shown}"/>`);
  });

  it('that made it slow is told beside it in every report, and is nothing to fix first', async () => {
    const slow = { ...report, slowness: 'the target refused 412 requests for their rate' };
    const told = 'the target refused 412 requests for their rate.';
    const lines = textSummary(slow).trimEnd().split('\n');
    expect(lines.at(-3)).toBe(`In the whole run: ${told}`);
    expect(lines.at(-2)).toMatch(/^Fix first: /);
    expect(markdownReport(slow)).toContain(`\n**In the whole run:** ${told}\n\n### Fix first\n`);
    expect(junitReport(slow)).toContain(`<property name="slowness" value="${told}"/>`);
    const { page } = await open(slow);
    expect(await page.getByRole('region', { name: 'Causes' }).innerText()).toContain(`In the whole run: ${told}`);
    await page.context().close();
  });

  it('asks for nothing to be fixed where a conformant run has left something open', () => {
    const open = withVerdict('inconclusive').map((check) => ({
      ...check,
      level: 'SHOULD' as const,
      reason: 'it came too late',
    }));
    const lines = textSummary({ ...report, outcome: 'conformant', checks: open })
      .trimEnd()
      .split('\n');
    expect(lines.at(-2)).toMatch(/^Left open: it came too late \(\d+ checks? waits? for it\)\. /);
  });

  it('is named by the last lines of the summary before a cause', () => {
    const lines = textSummary(withSign()).trimEnd().split('\n');
    expect(lines.at(-3)).toBe(`Fix first, as findings may come from it: ${sign}.`);
    expect(lines.at(-2)).toMatch(/^Then: .* \(\d+ checks wait for it\)\. /);
    expect(textSummary(report).trimEnd().split('\n').at(-2)).toMatch(/^Fix first: /);
  });
});

describe('the Markdown report', () => {
  /** Its lines outside code blocks; a block ends with the fence that it began with. */
  function proseOf(markdown: string): string[] {
    let fence = '';
    return markdown.split('\n').filter((line) => {
      const [marks = ''] = /^`{3,}/.exec(line) ?? [];
      if (fence !== '') {
        if (marks.length >= fence.length && line === marks) fence = '';
        return false;
      }
      fence = marks;
      return marks === '';
    });
  }

  it('says outcome and counts, and of a failure the sentence, both sides and the command', () => {
    const markdown = markdownReport(report);
    const failed = first('failed');
    expect(markdown).toMatch(/^## ❌ Assay: non-conformant\n/);
    const { summary } = report;
    expect(markdown).toContain(`| **all** | **${summary.failed}** | **${summary.inconclusive}** |`);
    expect(markdown).toMatch(
      /\n### Fix first\n\n1\. .* \(\d+ (?:failed|without a verdict).*\): <code>npx --no-install assay run .*--check \S+ --seed 1<\/code>\n/,
    );
    expect(markdown).toContain(`### failed: \`${failed.id}\``);
    expect(markdown).toContain(`> **${failed.brokenRequirement}** `);
    expect(markdown).toContain(`expected: ${failed.expected}`);
    expect(markdown).toMatch(commandFor(failed));
    expect(markdown).toContain('known: ticket &#60;4711&#62;');
  });

  it('lets nothing that a target sent out of its code blocks', () => {
    const hostile = first('inconclusive');
    const told = { ...hostile, reason: '```` </details><script>\n# forged\n| a | [x](javascript:y) @somebody' };
    const prose = proseOf(markdownReport({ ...report, checks: [...report.checks, told] }));
    const skipped = proseOf(markdownReport({ ...report, checks: [{ ...told, verdict: 'skipped' }] }));
    expect(prose.filter((line) => line.startsWith('# '))).toEqual([]);
    for (const line of [...prose, ...skipped]) {
      expect(line.replace(/<\/?(details|summary|code)>/g, '')).not.toMatch(/[<@[]|javascript:|&#?\w*$/);
    }
    expect(prose.filter((line) => line === '<details>').length).toBe(0);
    const count = (tag: string) => prose.join('\n').split(tag).length;
    expect(count('<details>')).toBe(count('</details>'));
    expect(markdownReport(report)).not.toMatch(/[^\P{C}\n\t]/u);
  });

  it('fits into a job summary, and says what was left out', () => {
    const checks = Array.from({ length: 2500 / report.checks.length }, () => report.checks).flat();
    const markdown = markdownReport({ ...report, checks });
    expect(Buffer.byteLength(markdown)).toBeLessThan(1024 * 1024);
    expect(Buffer.byteLength(markdown)).toBeGreaterThan(900 * 1024);
    expect(markdown).toMatch(/\*\*\d+ more\*\* do not fit into this summary/);
    expect(markdownReport(report)).not.toContain('do not fit');
  });
});
