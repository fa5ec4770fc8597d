import type { CheckReport, Report } from '../../run/report.ts';
import type { Verdict } from '../../run/verdict.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { againCommand } from '../again.ts';
import { brokenSentence } from '../broken-sentence.ts';
import { byItselfText } from '../by-itself.ts';
import { type Cause, countsOf } from '../causes/cause.ts';
import { causesOf } from '../causes/index.ts';
import { curlOf, exchangeTitle, requestText, responseText } from '../exchange-text.ts';
import { type Markup, markup } from '../markup.ts';
import { inTheWholeRun, wholeRunOf } from '../whole-run.ts';
import { badge, checkLink, command, filterable, prose } from './parts.ts';

/** The verdicts that need attention, with their headings. */
export const findingVerdicts = {
  failed: 'Failed',
  inconclusive: 'Without a verdict',
  warned: 'Warnings',
} as const satisfies Partial<Record<Verdict, string>>;

/** If there are no more findings than this, all of them are shown opened. */
const fewFindings = 3;

/** The number of exchanges that the page shows before the decisive one and after it. The JSON report has them all. */
const mostExchanges = 20;

/** The checks that need attention: the broken sentence, the expected and the actual value, the command that repeats the check, and the exchanges. */
export function findingsSection(report: Report): Markup {
  const groups = Object.entries(findingVerdicts).map(([verdict, title]) => ({
    title,
    checks: report.checks.filter((check) => check.verdict === verdict),
  }));
  const all = groups.flatMap(({ checks }) => checks);
  if (all.length === 0) {
    return markup`<section id="findings" aria-labelledby="findings-title">
<h2 id="findings-title">Findings</h2>
<p class="calm">Nothing failed, there are no warnings, and every check has a verdict.</p>
</section>`;
  }
  const opened = all.length <= fewFindings;
  return markup`<section id="findings" aria-labelledby="findings-title">
<h2 id="findings-title">Findings</h2>
${groups
  .filter(({ checks }) => checks.length > 0)
  .map(
    ({ title, checks }) => markup`<div class="group" data-group>
<h3>${title} <span class="count">${checks.length}</span></h3>
${checks.map((check) => finding(report, check, opened || check === all[0]))}</div>
`,
  )}</section>`;
}

/**
 * What the whole run shows, and the findings by what they have in common, the cause that keeps most checks from passing first. `undefined`:
 * there is neither.
 */
export function causesSection(report: Report): Markup | undefined {
  const causes = causesOf(report);
  const { label, sentences, slowness } = wholeRunOf(report, causes);
  const lines = [...slowness.map((text) => [inTheWholeRun, text]), ...sentences.map((text) => [label, text])];
  if (causes.length === 0 && lines.length === 0) return undefined;
  return markup`<section id="causes" aria-labelledby="causes-title">
<h2 id="causes-title">Causes</h2>
${lines.map(
  ([before, sentence]) => markup`<p><strong>${before}:</strong> ${sentence}</p>
`,
)}${
  causes.length > 0 &&
  markup`<p class="muted">The findings by what they have in common. The first cause keeps most checks from passing.</p>`
}
${causes.map((cause) => causeBlock(report, cause))}
</section>`;
}

function causeBlock(report: Report, cause: Cause): Markup {
  const { text, checks, shownBy } = cause;
  const alone = byItselfText(checks);
  return markup`<details class="area"><summary><span class="what"><strong>${text}</strong></span> <span class="muted">${countsOf(cause)}</span></summary>
${alone !== undefined && markup`<p>${alone}.</p>`}
${command(againCommand(report, shownBy), `command that shows the cause with ${shownBy.id}`)}
<ul class="links">${checks.map(({ id, verdict }) => markup`<li>${checkLink(id, verdict)}</li>`)}</ul></details>
`;
}

function finding(report: Report, check: CheckReport, opened: boolean): Markup {
  const { id, title, area, level, verdict, baseline } = check;
  const alone = byItselfText([check]);
  return markup`<details class="card ${verdict}" id="check-${id}" data-item="check" ${filterable(check)}${opened && markup` open`}>
<summary>${badge(verdict)}<span class="what"><strong>${title}</strong><span class="facts"><code>${id}</code> · ${level} · ${area}${baseline && ' · known'}</span></span></summary>
<div class="inside">
${fault(check)}
${baseline && markup`<p><b>Known:</b> ${baseline.reason}${baseline.until && ` (until ${baseline.until})`}</p>`}
<h4>See it again</h4>
${alone !== undefined && markup`<p>${alone}.</p>`}
${command(againCommand(report, check), `command that repeats ${id}`)}
${exchanges(report, check)}
</div>
</details>
`;
}

function fault(check: CheckReport): Markup {
  const { reason, message, expected, actual } = check;
  const sentence = brokenSentence(check);
  return markup`${
    sentence &&
    markup`<blockquote><p>${prose(sentence.text)}</p><footer><a href="#requirement-${sentence.id}">${sentence.id}</a>${sentence.file && markup` in <code>${sentence.file}</code>`}</footer></blockquote>`
  }${reason !== null && markup`<p class="target-text">${reason}</p>`}${
    expected === null
      ? message !== null && markup`<p class="target-text">${message}</p>`
      : markup`<dl class="compare"><div><dt>Expected</dt><dd>${expected}</dd></div><div class="actual"><dt>Actual</dt><dd>${actual}</dd></div></dl>`
  }`;
}

function exchanges(report: Report, { exchanges: all, decisiveExchange, verdict }: CheckReport): Markup | undefined {
  if (all.length === 0) return undefined;
  // An inconclusive check stopped at its last exchange.
  const shown = decisiveExchange ?? (verdict === 'inconclusive' ? all.length : undefined);
  const last = Math.min(all.length, (shown ?? all.length) + mostExchanges);
  const first = Math.max(0, (shown ?? all.length) - mostExchanges);
  const left = all.length - (last - first);
  return markup`<h4>Exchanges <span class="count">${all.length}</span></h4>
${left > 0 && markup`<p class="muted">${left} further exchanges stand in the JSON report only.</p>`}
<ol class="exchanges" start="${first + 1}">${all.slice(first, last).map((each, index) => exchange(report, each, first + index + 1, first + index + 1 === shown && decisiveExchange !== null))}</ol>`;
}

function exchange(report: Report, each: Exchange, number: number, decides: boolean): Markup {
  const curl = curlOf(each, report);
  const title = exchangeTitle(each);
  return markup`<li><details class="exchange"${decides && markup` open`}>
<summary><span class="line">${title}</span> <span class="muted">${each.durationMs} ms</span>${decides && markup` <span class="decides">shows it</span>`}</summary>
<div class="sides">
<div><h5>Request</h5><pre tabindex="0" role="region" aria-label="Request ${number}">${requestText(each)}</pre></div>
<div><h5>Response</h5><pre tabindex="0" role="region" aria-label="Response ${number}">${responseText(each)}</pre></div>
</div>
${
  curl !== undefined &&
  markup`<details class="curl"><summary>As a curl command</summary>
<p class="muted">Keys and signatures are redacted; <code>assay sign</code> signs a request anew.</p>
${command(curl, `curl command of request ${number}`)}</details>`
}
</details></li>
`;
}
