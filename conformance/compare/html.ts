import { type Markup, markup } from '../reporters/markup.ts';
import { asset, badge, prose } from '../reporters/page/parts.ts';
import type { Verdict } from '../run/verdict.ts';
import { byRequirement, type Change } from './changes.ts';
import type { Comparison } from './comparison.ts';
import { headings, sentenceOf, summaryOf } from './words.ts';

/** The comparison as one page for people, in the dress of a report. The page loads nothing and has no script. */
export function htmlComparison(comparison: Comparison): string {
  const style = asset('report.css');
  const policy = `default-src 'none'; style-src '${style.hash}'; base-uri 'none'; form-action 'none'`;
  const head = markup`<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Comparison · Assay</title>
`;
  const sections =
    comparison.kind === 'changes'
      ? headings.map(([kind, heading]) =>
          changesSection(
            heading,
            comparison.changes.filter((change) => change.kind === kind),
          ),
        )
      : [requirementsSection(comparison)];
  const body = markup`<header class="incomplete">
<p class="kicker">Assay comparison</p>
<h1>${summaryOf(comparison)}</h1>
${comparison.reports.map(({ name, report }) => markup`<p class="facts">${name}: <code>${report.target}</code>, ${report.outcome}, <time datetime="${report.startedAt}">${report.startedAt.slice(0, 16).replace('T', ' ')} UTC</time></p>`)}
</header>
<main>
${sections}
${openPointsSection(comparison)}
</main>
`;
  return `<!doctype html>
<html lang="en">
<head>
${head}<style>${style.text}</style>
</head>
<body>
${body}</body>
</html>
`;
}

function changesSection(heading: string, changes: readonly Change[]): Markup | undefined {
  if (changes.length === 0) return undefined;
  const groups = byRequirement(changes).map(
    ({
      requirement,
      changes: of,
    }) => markup`<li class="point"><p><b>${requirement}</b> ${prose(sentenceOf(requirement))}</p>
<ul class="answers">${of.map(changeItem)}</ul></li>
`,
  );
  return markup`<section aria-labelledby="${heading}"><h2 id="${heading}">${heading}</h2>
<ul class="rows">${groups}</ul></section>
`;
}

function changeItem({ id, before, after, expected, actual }: Change): Markup {
  const verdicts = [before, after].flatMap((verdict) => (verdict ? [badge(verdict)] : []));
  return markup`<li><code>${id}</code> ${verdicts.length === 2 ? markup`${verdicts[0]} → ${verdicts[1]}` : verdicts}
${expected !== undefined && markup`<p class="facts">expected: ${expected}<br>actual: ${actual ?? ''}</p>`}</li>`;
}

const verdictCell = (verdict: Verdict | undefined) => markup`<td>${verdict ? badge(verdict) : 'not judged'}</td>`;

function requirementsSection({ reports, matrix }: Comparison): Markup | undefined {
  if (matrix.requirements.length === 0) return undefined;
  const rows = matrix.requirements.map(
    ({ id, level, text, verdicts }) =>
      markup`<tr><th scope="row"><code>${id}</code> ${prose(text)}</th><td>${level}</td>${verdicts.map(verdictCell)}</tr>
`,
  );
  return markup`<section aria-labelledby="requirements"><h2 id="requirements">Requirements that differ</h2>
<table><thead><tr><th scope="col">Requirement</th><th scope="col">Level</th>${reports.map(({ name }) => markup`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></section>
`;
}

function openPointsSection({ kind, reports, matrix: { different, reliable } }: Comparison): Markup {
  const rows = different.map(
    ({ id, question, values }) =>
      markup`<tr><th scope="row"><code>${id}</code> ${prose(question)}</th>${values.map((each) => markup`<td>${each.length > 0 ? each.map((value) => markup`<code>${value}</code> `) : 'not observed'}</td>`)}</tr>
`,
  );
  return markup`${
    rows.length > 0 &&
    markup`<section aria-labelledby="different"><h2 id="different">Open points decided differently</h2>
<table><thead><tr><th scope="col">Open point</th>${reports.map(({ name }) => markup`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></section>
`
  }${
    kind === 'matrix' &&
    markup`<section aria-labelledby="reliable"><h2 id="reliable">What a client may rely on at all of them</h2>
<ul class="answers">${reliable.map(({ id, value }) => markup`<li><code>${id}</code>: <code>${value}</code></li>`)}</ul></section>
`
  }`;
}
