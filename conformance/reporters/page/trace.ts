import { requirements as catalogue } from '../../../generated/catalogue.ts';
import { type CheckReport, countVerdicts, type Report } from '../../run/report.ts';
import { type Markup, markup } from '../markup.ts';
import { findingVerdicts } from './findings.ts';
import { badge, bar, checkLink, countsInWords, filterable, prose } from './parts.ts';

type RequirementReport = Report['requirements'][number];

const areaOf = new Map<string, string>(catalogue.map(({ id, area }) => [id, area]));

/** Items grouped by area, in the order in which the areas first appear. */
function byArea<Item>(items: readonly Item[], area: (item: Item) => string): [area: string, items: Item[]][] {
  return [...new Set(items.map(area))].map((name) => [name, items.filter((item) => area(item) === name)]);
}

/** Every requirement with its verdict and the checks that judge it, by area. */
export function requirementsSection({ requirements, checks }: Report): Markup {
  const verdictOf = new Map(checks.map(({ id, verdict }) => [id, verdict]));
  const row = (requirement: RequirementReport, area: string) => {
    const { id, level, text, verdict, checks: judging } = requirement;
    const links = judging.map((check) => markup`<li>${checkLink(check, verdictOf.get(check) ?? 'skipped')}</li>`);
    return markup`<li class="row" id="requirement-${id}" data-item="requirement" ${filterable({ verdict, area, level })}>
${badge(verdict)}<div><p>${prose(text)}</p><p class="facts"><code>${id}</code> · ${level}</p>${
      links.length > 0
        ? markup`<ul class="links">${links}</ul>`
        : markup`<p class="muted">No check of this run judges it.</p>`
    }</div></li>
`;
  };
  const groups = byArea(requirements, ({ id }) => areaOf.get(id) ?? id);
  return markup`<section id="requirements" aria-labelledby="requirements-title">
<h2 id="requirements-title">Requirements</h2>
${groups.map(([area, items]) => group(area, items, markup`<ul class="rows">${items.map((item) => row(item, area))}</ul>`))}</section>`;
}

/** Every check with its verdict and the requirements that it judges, by area. */
export function checksSection({ checks }: Report): Markup {
  const row = (check: CheckReport) => {
    const { id, title, level, verdict, durationMs, requirements } = check;
    const isFinding = Object.hasOwn(findingVerdicts, verdict);
    const links = requirements.map(
      (each) => markup`<li><a class="check-link" href="#requirement-${each}">${each}</a></li>`,
    );
    return markup`<li class="row" ${!isFinding && markup`id="check-${id}"`} data-item="check" ${filterable(check)}>
${badge(verdict)}<div><p>${isFinding ? markup`<a href="#check-${id}">${title}</a>` : title}</p><p class="facts"><code>${id}</code> · ${level} · ${durationMs} ms</p>${
      links.length > 0 && markup`<ul class="links">${links}</ul>`
    }</div></li>
`;
  };
  return markup`<section id="checks" aria-labelledby="checks-title">
<h2 id="checks-title">Checks</h2>
${byArea(checks, ({ area }) => area).map(([area, items]) => group(area, items, markup`<ul class="rows">${items.map(row)}</ul>`))}</section>`;
}

function group(area: string, items: readonly { verdict: CheckReport['verdict'] }[], content: Markup): Markup {
  const counts = countVerdicts(items);
  return markup`<details class="area" data-group>
<summary><span class="area-name">${area}</span> <span class="muted">${countsInWords(counts)}</span>${bar(counts)}</summary>
${content}</details>
`;
}
