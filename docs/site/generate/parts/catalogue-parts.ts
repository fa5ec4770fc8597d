import { allChecks } from '../../../../conformance/checks/index.ts';
import {
  currencies as allCurrencies,
  limits as allLimits,
  networks as allNetworks,
  openPoints as allOpenPoints,
  requirements as allRequirements,
  type KnownError,
  type Limit,
  type OpenPoint,
  type Requirement,
} from '../../../../generated/catalogue.ts';
import { address, areas, areaTitles, linkIds, openPointLink, requirementLink, ruleLinks } from '../catalogue-links.ts';
import { operationAreas } from '../contract.ts';
import { errorLink, errorsOf } from '../error-codes.ts';
import { isFree, machines } from '../machines.ts';
import { blocks, code, heading, link, list, table, text } from '../markdown.ts';
import { diagramImage } from '../state-diagram.ts';
import type { Part } from './part.ts';

/** `states machine=…`: the diagram, the states and the transitions. */
export const states: Part = {
  options: { machine: { values: Object.keys(machines) } },
  make: ({ machine: name = '' }) => {
    const machine = machines[name];
    if (!machine) throw new Error(`there is no machine ${name}`);
    const free = machine.transitions.some((move) => isFree(machine, move));
    return blocks([
      diagramImage(name, machine),
      free
        ? `The contract leaves dashed moves free${machine.openPoint ? ` (open point ${openPointLink(machine.openPoint)})` : ''}: an implementation may have other moves in their place.`
        : '',
      table(
        ['State', 'Meaning', 'Final'],
        Object.entries(machine.states).map(([state, { meaning, final }]) => [
          code(state),
          text([meaning, machine.unreachable[state]].filter(Boolean).join(' ')),
          final ? 'yes' : 'no',
        ]),
      ),
      table(
        ['From', 'To', 'Event', 'Rule'],
        machine.transitions.map((move) => [
          move.from === null ? '–' : code(move.from),
          code(move.to),
          [code(move.event), text(move.condition ?? ''), ...(move.effects ?? []).map(text)]
            .filter(Boolean)
            .join('<br>'),
          isFree(machine, move)
            ? `free: ${ruleLinks({ openPoint: move.openPoint ?? machine.openPoint })}`
            : ruleLinks(move),
        ]),
      ),
      `Final states are final by ${requirementLink(machine.final)}.${machine.noOtherMoves ? ` There are no other moves, by ${requirementLink(machine.noOtherMoves)}.` : ''}`,
    ]);
  },
};

/** `errors area=…`: the error codes of one area. */
export const errors: Part = {
  options: { area: { values: operationAreas } },
  make: ({ area }) =>
    table(
      ['Code', 'HTTP', 'Meaning', 'What to do'],
      operationAreas
        .filter((each) => each === area)
        .flatMap(errorsOf)
        .map((error) => [errorLink(error), String(error.httpStatus ?? ''), text(error.meaning), text(error.remedy)]),
    ),
};

/** `error-catalogue codes=…`: every error code once, under its own heading, with its meaning in each area. */
export const errorCatalogue: Part = {
  options: { codes: { values: ['orders-and-checkout', 'refunds'] } },
  make: ({ codes }) => {
    const among = codes === 'refunds' ? (['refunds'] as const) : (['orders', 'checkout'] as const);
    const distinct = [...new Set(among.flatMap((area) => errorsOf(area).map((error) => error.code)))].sort();
    return blocks(
      distinct.flatMap((value) => {
        const found = among.flatMap((area) =>
          errorsOf(area).flatMap((error) => (error.code === value ? [{ area, error }] : [])),
        );
        const name = found[0]?.error.name ?? value;
        const row = (label: string, cell: (error: KnownError) => string) => [
          label,
          ...found.map(({ error }) => cell(error)),
        ];
        return [
          heading(3, name === value ? code(value) : `${code(value)} ${name}`, value),
          table(
            [code(value), ...found.map(({ area }) => areaTitles[area])],
            [
              row('Cause', (error) => text(error.meaning)),
              row('Remedy', (error) => text(error.remedy)),
              row('In the sandbox', (error) => text(error.provoke)),
              row('HTTP status', ({ httpStatus }) =>
                httpStatus === undefined
                  ? 'none: the code is part of a refund'
                  : `${httpStatus} from the reference server`,
              ),
              row('Rule', ruleLinks),
            ],
          ),
        ];
      }),
    );
  },
};

/** `currencies`: the currencies, the products that take them, and their networks. */
export const currencies: Part = {
  options: {},
  make: () => {
    const names: Readonly<Record<string, string>> = { hosted: 'hosted orders', checkout: 'checkout orders' };
    return table(
      ['Currency', 'Pays', 'Networks'],
      allCurrencies.map(({ code: value, networks, products }) => [
        code(value),
        products.map((product) => names[product] ?? product).join(', '),
        networks.map(code).join(', '),
      ]),
    );
  },
};

/** `networks`: every network. */
export const networks: Part = {
  options: {},
  make: () =>
    table(
      ['Code', 'Name', 'In hosted orders', 'Confirmations', 'Takes about'],
      allNetworks.map((network) => [
        code(network.code),
        text(network.displayName),
        code(network.hostedName),
        `${network.confirmations}${network.confirmationsSource === 'reference' ? ' in the reference server' : ''}`,
        duration(network.estimatedConfirmationTimeSec),
      ]),
    ),
};

function duration(seconds: number): string {
  return seconds < 120 ? `${seconds} seconds` : `${seconds / 60} minutes`;
}

const limitAreas = areas.filter((area) => Object.values(allLimits).some((limit) => limit.area === area));

/** `limits [area=…]`: every limit of the contract, or of one area. */
export const limits: Part = {
  options: { area: { values: limitAreas, optional: true } },
  make: ({ area }) => {
    const shown = Object.values(allLimits).filter((limit) => area === undefined || limit.area === area);
    return table(
      ['Subject', 'Limit', 'Rule', 'Note'],
      shown.map((limit) => [text(limit.subject), bound(limit), ruleLinks(limit), text(limit.note ?? '')]),
    );
  },
};

function bound({ value, min, max, unit = '' }: Limit): string {
  if (unit === 'pattern') return code(String(value));
  if (value !== undefined) return `${value} ${unit}`.trim();
  if (min === undefined) return `at most ${max} ${unit}`.trim();
  return max === undefined ? `at least ${min} ${unit}`.trim() : `${min} to ${max} ${unit}`.trim();
}

/** What the requirements of an area are about: the second words of their ids. */
const subjects = [...new Set(allRequirements.map(({ id }) => id.split('.')[1] ?? ''))];

/** `requirements [area=…] [subject=…]`: the requirements of one area, of one subject, or of both, as a table. */
export const requirements: Part = {
  options: { area: { values: areas, optional: true }, subject: { values: subjects, optional: true } },
  make: ({ area, subject }) =>
    table(
      ['Requirement', 'Level', 'Text'],
      allRequirements
        .filter((each) => area === undefined || each.area === area)
        .filter(({ id }) => subject === undefined || id.split('.')[1] === subject)
        .map(({ id, level, text: says }) => [requirementLink(id), level, text(says)]),
    ),
};

/** `requirement-catalogue`: every requirement under its own heading, with its places and the checks that judge it. */
export const requirementCatalogue: Part = {
  options: {},
  make: () =>
    blocks(
      areas.flatMap((area) => [
        heading(2, areaTitles[area], area),
        ...allRequirements.filter((each) => each.area === area).flatMap(requirementEntry),
      ]),
    ),
};

function requirementEntry({ id, level, text: says, places, verification, openPoint }: Requirement): string[] {
  const checks = allChecks.filter((check) => check.requirements.some((each) => each === id));
  const judged = {
    check: `Judged by ${checks.map((check) => code(check.id)).join(', ')}.`,
    schema: `Judged by the schemas of the answers${checks.length > 0 ? `, and by ${checks.map((check) => code(check.id)).join(', ')}` : ''}.`,
    none: `Not judged: ${text(verification.reason ?? '')}`,
  };
  return [
    heading(3, code(id), id),
    `**${level}.** ${text(says)}`,
    list([
      ...(openPoint ? [`Partly left open: ${openPointLink(openPoint)}.`] : []),
      judged[verification.by],
      `In the contract: ${places.map((place) => code(place)).join(', ')}.`,
    ]),
  ];
}

/** `open-points area=…`: the open points of one area, with the answers of the reference server. */
export const openPoints: Part = {
  options: { area: { values: areas.filter((area) => allOpenPoints.some((point) => point.area === area)) } },
  make: ({ area }) =>
    table(
      ['Question', 'The reference server'],
      allOpenPoints
        .filter((point) => point.area === area)
        .map(({ id, question, reference, values }) => [
          link(text(question), address.openPoint(id)),
          text(values[reference] ?? ''),
        ]),
    ),
};

/** `open-point-catalogue`: every open point under its own heading. */
export const openPointCatalogue: Part = {
  options: {},
  make: () =>
    blocks(
      areas.flatMap((area) => {
        const points = allOpenPoints.filter((point) => point.area === area);
        return points.length === 0 ? [] : [heading(2, areaTitles[area], area), ...points.flatMap(openPointEntry)];
      }),
    ),
};

function openPointEntry(point: OpenPoint): string[] {
  const { id, question, values, reference, exhaustive, selectable, also, judged, observed, reason } = point;
  const fixed =
    selectable === false
      ? `The reference server always takes ${code(reference)}; \`--choices\` cannot change that. `
      : '';
  const named = allRequirements.filter((requirement) => requirement.openPoint === id);
  return [
    heading(3, code(id), id),
    `**${text(question)}**`,
    table(
      ['Permitted answer', 'Meaning'],
      Object.entries(values).map(([value, says]) => [
        `${code(value)}${value === reference ? ' (reference server)' : ''}`,
        linkIds(text(says)),
      ]),
    ),
    also ? linkIds(text(also)) : '',
    list([
      ...(reason ? [`${fixed}${text(reason)}`] : []),
      ...(exhaustive ? ['Only the answers above are permitted: a run warns about any other.'] : []),
      ...judged.map(({ level, text: says }) => `Judged in any case, ${level}: ${text(says)}`),
      `Recorded: ${text(observed)}`,
      ...(named.length > 0 ? [`Part of ${named.map((each) => requirementLink(each.id)).join(', ')}.`] : []),
    ]),
  ];
}
