import { openPoints as catalogue } from '../../../generated/catalogue.ts';
import { counted } from '../../contract/counted.ts';
import type { Report } from '../../run/report.ts';
import { notRunText, scopeText } from '../../run/scope.ts';
import { worstFirst } from '../../run/verdict.ts';
import { type Markup, markup } from '../markup.ts';
import { newsText } from '../news.ts';
import { skippedByReason } from '../skipped.ts';
import { causesSection, findingsSection } from './findings.ts';
import { gridsSection } from './grids.ts';
import { asset, bar, checkLink, command, countsInWords, prose } from './parts.ts';
import { checksSection, requirementsSection } from './trace.ts';

const outcomes: Readonly<Record<Report['outcome'], { mark: string; title: string; means: string }>> = {
  conformant: {
    mark: '✓',
    title: 'Conformant',
    means: 'The target breaks no sentence of the contract that was judged.',
  },
  'non-conformant': {
    mark: '✗',
    title: 'Not conformant',
    means: 'The target breaks at least one sentence of the contract.',
  },
  incomplete: {
    mark: '?',
    title: 'Incomplete',
    means: 'Nothing failed, but checks were left out or a requirement has no verdict.',
  },
};

/**
 * The report as one page for people. The page loads nothing, and its policy allows only its own script and style, so that
 * text from a target stays text. The page can be read without its script, which filters, copies and opens.
 */
export function htmlReport(report: Report): string {
  const style = asset('report.css');
  const script = asset('report.js');
  const policy = `default-src 'none'; style-src '${style.hash}'; script-src '${script.hash}'; base-uri 'none'; form-action 'none'`;
  const causes = causesSection(report);
  const grids = gridsSection(report);
  const skipped = skippedSection(report);
  const head = markup`<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${outcomes[report.outcome].title} · Assay · ${report.target}</title>
`;
  const body = markup`<a class="skip" href="#findings">Skip to the findings</a>
${header(report)}
<nav class="sections" aria-label="Sections">${causes && markup`<a href="#causes">Causes</a>`}<a href="#findings">Findings</a>${grids && markup`<a href="#grids">States</a>`}<a href="#requirements">Requirements</a><a href="#checks">Checks</a><a href="#open-points">Open points</a>${skipped && markup`<a href="#skipped">Skipped</a>`}<a href="#run">Run</a></nav>
<main>
${causes}
${filters(report)}
${findingsSection(report)}
${grids}
${requirementsSection(report)}
${checksSection(report)}
${openPointsSection(report)}
${skipped}
${runSection(report)}
</main>
`;
  return `<!doctype html>
<html lang="en">
<head>
${head}<style>${style.text}</style>
</head>
<body>
${body}<script>${script.text}</script>
</body>
</html>
`;
}

function header(report: Report): Markup {
  const { outcome, scope, stopped, target, checks, summary, durationMs, startedAt } = report;
  const { mark, title, means } = outcomes[outcome];
  const counts = worstFirst
    .filter((verdict) => summary[verdict] > 0)
    .map((verdict) => markup`<li class="${verdict}"><b>${summary[verdict]}</b> ${verdict}</li>`);
  const known = checks.filter(({ baseline }) => baseline).length;
  const notRun = notRunText(stopped);
  const news = newsText(report);
  return markup`<header class="${outcome}">
<p class="kicker">Assay conformance report</p>
<h1><span class="seal" aria-hidden="true">${mark}</span> ${title}</h1>
<p class="lead">${means}${known > 0 && ` ${known} of the failures are known.`}</p>
<p class="facts">${sentence(scopeText(scope))}.</p>
${notRun && markup`<p class="facts">${notRun}.</p>`}
${news && markup`<p class="facts">${sentence(news)}.</p>`}
<p class="facts">${counted(checks.length, 'check')} against <code>${target}</code>, ${(durationMs / 1000).toFixed(1)} s, <time datetime="${startedAt}">${startedAt.slice(0, 16).replace('T', ' ')} UTC</time></p>
<ul class="counts">${counts}</ul>
${bar(summary)}
</header>`;
}

/** A text that begins like a sentence. */
const sentence = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** The filters. They are hidden until the script shows them, because they do nothing without it. */
function filters({ checks, summary }: Report): Markup {
  const areas = [...new Set(checks.map(({ area }) => area))];
  const options = (names: readonly string[]) => names.map((name) => markup`<option value="${name}">${name}</option>`);
  const boxes = worstFirst
    .filter((verdict) => summary[verdict] > 0)
    .map(
      (verdict) =>
        markup`<label class="${verdict}"><input type="checkbox" name="verdict" value="${verdict}"> ${verdict}</label>`,
    );
  return markup`<search class="filters" hidden>
<label class="find"><span class="unseen">Find</span><input type="search" name="text" placeholder="Find an id, a title, a text" autocomplete="off" spellcheck="false"></label>
<fieldset><legend class="unseen">Only these verdicts</legend>${boxes}</fieldset>
<label><span class="unseen">Area</span><select name="area"><option value="">every area</option>${options(areas)}</select></label>
<label><span class="unseen">Level</span><select name="level"><option value="">every level</option>${options(['MUST', 'SHOULD', 'MAY'])}</select></label>
<button type="button" name="reset">Clear</button>
<p role="status"></p>
</search>`;
}

/** The behaviour of the target at the open points of the contract. */
function openPointsSection({ openPoints, checks }: Report): Markup {
  const verdictOf = new Map(checks.map(({ id, verdict }) => [id, verdict]));
  const seen = openPoints.filter(({ observed }) => observed.length > 0);
  const entries = seen.map(({ id, question, observed, pinned }) => {
    const values = [...new Set(observed.flatMap(({ value }) => value ?? []))];
    const meanings = catalogue.find((point) => point.id === id)?.values ?? {};
    const answer = values.map((value) => markup`<li><code>${value}</code> ${prose(meanings[value] ?? '')}</li>`);
    const observations = observed.map(
      ({ check, seen: text }) =>
        markup`<li>${text} <span class="muted">${checkLink(check, verdictOf.get(check) ?? 'observed')}</span></li>`,
    );
    return markup`<li class="point"><p><b>${prose(question)}</b></p>
${answer.length > 0 && markup`<ul class="answers">${answer}</ul>`}
<p class="facts"><code>${id}</code>${pinned !== null && markup` · pinned to <code>${pinned}</code>`}</p>
<details><summary>${counted(observed.length, 'observation')}</summary><ul class="target-text">${observations}</ul></details></li>
`;
  });
  return markup`<section id="open-points" aria-labelledby="open-points-title">
<h2 id="open-points-title">Open points</h2>
<p class="muted">Where the contract is silent, the report records the behaviour of the target. It is judged only if the configuration pins it.</p>
${entries.length > 0 ? markup`<ul class="rows">${entries}</ul>` : markup`<p class="calm">No open point was observed in this run.</p>`}
</section>`;
}

function skippedSection(report: Report): Markup | undefined {
  const groups = skippedByReason(report);
  if (groups.length === 0) return undefined;
  return markup`<section id="skipped" aria-labelledby="skipped-title">
<h2 id="skipped-title">Skipped</h2>
${groups.map(
  ({
    reason,
    checks,
  }) => markup`<details class="area"><summary><span class="what">${reason}</span> <span class="count">${checks.length}</span></summary>
<ul class="links">${checks.map(({ id }) => markup`<li>${checkLink(id, 'skipped')}</li>`)}</ul></details>
`,
)}</section>`;
}

function runSection({ suite, seed, startedAt, durationMs, target, configuration, summary }: Report): Markup {
  const facts: [name: string, value: string][] = [
    ['Target', target],
    ['Began', startedAt],
    ['Took', `${(durationMs / 1000).toFixed(1)} s`],
    ['Verdicts', countsInWords(summary)],
    ['Seed', String(seed)],
    ['Suite', `${suite.name} ${suite.version}`],
    ['Contract', suite.contractVersion],
  ];
  return markup`<section id="run" aria-labelledby="run-title">
<h2 id="run-title">Run</h2>
<dl class="run">${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<details class="area"><summary><span class="what">Configuration, without secrets</span></summary>${command(JSON.stringify(configuration, null, 2), 'configuration')}</details>
</section>`;
}
