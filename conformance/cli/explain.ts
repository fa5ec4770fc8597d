import { Command } from 'commander';
import {
  checkoutErrorCodes,
  type KnownError,
  openPoints,
  orderErrorCodes,
  refundErrorCodes,
  refundFailureCodes,
  requirements,
} from '../../generated/catalogue.ts';
import { suiteVersions } from '../checks/check-ids.ts';
import { feedingChecks } from '../checks/feeds.ts';
import { type ListedCheck, listedChecks } from '../checks/listed-checks.ts';
import { currentId } from '../checks/replaced-ids.ts';
import { type ContractOperation, contractOperations } from '../contract/operations.ts';
import { UsageError } from '../errors/usage-errors.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import { commandName } from './command-name.ts';

/** `assay explain ID`: explains a requirement, a check, an error code, an open point or an operation, with its place in the contract. */
export function explainCommand(): Command {
  return new Command('explain')
    .description(
      'Explain a requirement, a check, an error code, an open point or an operation, with its place in the contract.',
    )
    .argument('<id>', 'such as orders.states.final, 40001, checkout-repeat or createOrder')
    .option('--json', 'as a list in JSON')
    .action((id: string, { json }: { json?: true }) => {
      const parts = explain(id);
      process.stdout.write(json ? `${JSON.stringify(parts, null, 2)}\n` : `${parts.map(textOf).join('\n\n')}\n`);
    });
}

const errorAreas: readonly [title: string, codes: readonly KnownError[]][] = [
  ['hosted orders', orderErrorCodes],
  ['checkout orders', checkoutErrorCodes],
  ['refunds', refundErrorCodes],
  ['failed refunds', refundFailureCodes],
];

/** An explanation: its heading, and what it says by labels. */
type Explanation = Readonly<Record<string, string | readonly string[]>> & { readonly heading: string };

/** Explains everything that has this id, which may belong to a requirement and to a check. Throws `UsageError` for an unknown id. */
function explain(id: string): Explanation[] {
  const parts = [requirementParts, checkParts, errorParts, openPointParts, operationParts].flatMap((of) => of(id));
  if (parts.length > 0) return parts;
  const known = [
    ...[...requirements, ...listedChecks, ...openPoints].map((each) => each.id),
    ...errorAreas.flatMap(([, codes]) => codes.flatMap(({ code, name }) => [code, name])),
    ...contractOperations.flatMap((operation) => [operation.name, operation.id]),
  ];
  const near =
    didYouMean(id, known) ||
    '; give the id of a requirement, a check, an error code, an open point or an operation. assay list names all checks';
  throw new UsageError(`there is nothing called ${id}${near}`);
}

function requirementParts(id: string): Explanation[] {
  return requirements
    .filter((requirement) => requirement.id === id)
    .map(({ level, text, source, places, verification, openPoint, area }) => {
      const checks = listedChecks.filter((check) => check.requirements.some((each) => each === id));
      return labelled(`Requirement ${id} (${level}, ${area})`, {
        says: text,
        specification: source,
        since: sinceText(checks),
        contract: places.map((place) => `openapi/${place}`),
        'left open': openPoint && `partly, by the open point ${openPoint}`,
        'checked by': checks.map((check) => check.id),
        'not checked': verification.reason,
      });
    });
}

/** The version of the suite that had the first check of a requirement; `undefined` for a requirement without checks. */
function sinceText(checks: readonly ListedCheck[]): string | undefined {
  const oldest = suiteVersions.find((version) => checks.some(({ since }) => since === version));
  return oldest && `suite ${oldest}`;
}

function checkParts(id: string): Explanation[] {
  return listedChecks
    .filter((check) => check.id === currentId(id))
    .map(({ id: current, title, level, area, requirements: about, openPoint, since, invariant, needs }) =>
      labelled(`Check ${current} (${level}, ${area})`, {
        replaces: current === id ? undefined : id,
        passes: title,
        judges: about.map((each) => `${each}: ${requirements.find((requirement) => requirement.id === each)?.text}`),
        observes: openPoint ?? undefined,
        needs,
        since: `suite ${since}`,
        invariant: invariant
          ? `${invariant}: judges everything that a run exchanges, whichever check exchanged it`
          : undefined,
        'fed by': invariant ? feedingChecks(listedChecks, { area }).map((check) => check.id) : undefined,
        alone: `${commandName()} run --check ${current}`,
      }),
    );
}

function errorParts(id: string): Explanation[] {
  return errorAreas.flatMap(([title, codes]) =>
    codes
      .filter(({ code, name }) => code === id || name === id)
      .map(({ code, name, meaning, remedy, provoke, httpStatus, requirement, openPoint }) =>
        labelled(`Error ${code}${name === code ? '' : ` ${name}`} of ${title}`, {
          means: meaning,
          remedy,
          'to see it': provoke,
          status: httpStatus === undefined ? undefined : `HTTP ${httpStatus} from the reference server`,
          requirement,
          'open point': openPoint,
          contract: 'openapi/catalogue/errors.yaml',
        }),
      ),
  );
}

function openPointParts(id: string): Explanation[] {
  return openPoints
    .filter((point) => point.id === id)
    .map(({ question, values, reference, also, judged, observed, source, area }) =>
      labelled(`Open point ${id} (${area})`, {
        question,
        permitted: Object.entries(values).map(
          ([value, text]) => `${value}${value === reference ? ' (reference server)' : ''}: ${text}`,
        ),
        also,
        judged: judged.map(({ level, text }) => `${level} ${text}`),
        observed,
        silent: source,
        contract: 'openapi/catalogue/open-points.yaml',
      }),
    );
}

function operationParts(wanted: string): Explanation[] {
  return contractOperations
    .filter(({ id, name }) => id === wanted || name === wanted)
    .map(({ id, name, area, title, method, path }: ContractOperation) =>
      labelled(`Operation ${name} (${area})`, {
        does: title,
        request: `${method} ${path}`,
        contract: `operationId ${id} in openapi/paths/`,
        requirements: requirements.flatMap((each) => (each.id.startsWith(`${name}.`) ? [each.id] : [])),
        alone: `${commandName()} run --check "${name}.*"`,
      }),
    );
}

/** An explanation without the labels that have no value. */
function labelled(heading: string, values: Record<string, string | readonly string[] | undefined>): Explanation {
  const told = Object.entries(values).flatMap(([label, value]) =>
    value === undefined || value.length === 0 ? [] : [[label, value]],
  );
  return { heading, ...Object.fromEntries(told) };
}

/** The heading with labelled lines. Several values of a label stand below each other. */
function textOf({ heading, ...values }: Explanation): string {
  const lines = Object.entries(values).flatMap(([label, value]) => {
    const [first, ...rest] = [value].flat();
    return [`  ${label.padEnd(13)} ${first}`, ...rest.map((each) => `  ${' '.repeat(13)} ${each}`)];
  });
  return [heading, ...lines].join('\n');
}
