import { existsSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { type Area, type OpenPoint, openPoints } from '../../generated/catalogue.ts';
import { type Need, needNames } from '../check/needs.ts';
import { isAvailable } from '../check/unmet-needs.ts';
import { suiteVersions } from '../checks/check-ids.ts';
import { missingAreas } from '../doctor/areas.ts';
import { messageOf } from '../errors/message-of.ts';
import { UsageError } from '../errors/usage-errors.ts';
import { defaultFile } from '../run/configuration.ts';
import { runDefaults } from '../run/run-defaults.ts';
import { scopeAreas } from '../run/scope.ts';
import { openSession } from '../run/session.ts';
import { openTarget, type TargetFlags, targetOf, withTarget } from './target.ts';

/** `assay init`: writes a configuration file with every key. */
export function initCommand(): Command {
  return withTarget(new Command('init'))
    .description(
      `Write a commented ${defaultFile} into this folder, or the file that --config names, with every key. With --target, ask the target what it offers, and leave out what it does not.`,
    )
    .action(init);
}

async function init(flags: TargetFlags): Promise<void> {
  const path = flags.config ?? defaultFile;
  if (existsSync(path)) throw existsAlready(path);
  const target = targetOf(flags, {});
  const offered = target === undefined ? undefined : await askTarget(flags, target);
  try {
    writeFileSync(path, template(offered), { flag: 'wx' });
  } catch (error) {
    if (existsSync(path)) throw existsAlready(path);
    throw new UsageError(`${path} cannot be written: ${messageOf(error)}`);
  }
  const doctor = ['assay doctor', ...(flags.config === undefined ? [] : [`--config ${flags.config}`])].join(' ');
  process.stderr.write(`wrote ${path}: ${offered ? '' : 'enter your target in it, then '}run ${doctor}\n`);
}

const existsAlready = (path: string) => new UsageError(`${path} exists already; move it away first`);

/** A target, with its areas, and the needs of checks that it does not meet. */
interface Offered {
  target: string;
  areas: readonly Area[];
  unmet: readonly Need[];
}

/** Finds out which areas a target has and which needs it meets. Says on stderr which areas it lacks. Throws `Unreachable` and `UsageError`. */
async function askTarget(flags: TargetFlags, target: string): Promise<Offered> {
  const { options, close } = await openTarget(flags, {});
  const session = await openSession({ ...options, seed: 0, concurrency: 1 });
  try {
    const missing = await missingAreas(session);
    for (const { area, status } of missing) {
      process.stderr.write(`the target has no ${area}: it answers a signed query there with HTTP ${status}\n`);
    }
    const areas = areasWithout(missing.map(({ area }) => area));
    return { target, areas, unmet: needNames.filter((need) => !isAvailable(need, { ...session, areas })) };
  } finally {
    await session.close();
    await close();
  }
}

/** The areas of a target that lacks some. Where it lacks all that can be asked for, its address may be wrong, so none is left out. */
function areasWithout(missing: readonly Area[]): readonly Area[] {
  const left = scopeAreas.filter((area) => !missing.includes(area));
  if (left.some((area) => area !== 'webhooks')) return left;
  process.stderr.write(
    'assay: warning: no operation of the contract is there; check the address of the target, which ends before /api/v1\n',
  );
  return scopeAreas;
}

// In the text below, a line that begins with `# ` and a key becomes configuration when these two characters are removed.

const head = `# The configuration of assay. Flags override the environment, and the environment overrides this file.
# A value may name a variable of the environment, as in \${ASSAY_API_SECRET}. Paths are relative to this file.
# Every key is here. Keys that are commented out show an example.

# The address of the target: the part before /api/v1.
target: https://sandbox.example.com

# The areas that the target has. Checks of other areas are skipped. Without this key, it has all areas.
# areas: [orders, refunds, checkout, webhooks]

# Things that this target cannot offer. Checks that need one of them are left out of the scope of a run, which says so. Without
# this key, a run is incomplete when a MUST cannot be judged. assay list names the needs of each check.
# without: [order-events, refund-events, clock]

# The sandbox control API of the target (openapi/sandbox-control.yaml), which makes merchants and lets things happen to orders
# and refunds. Without url it is at TARGET/sandbox/v1. ASSAY_CONTROL_TOKEN in the environment is enough by itself.
# control:
#   url: https://sandbox.example.com/sandbox/v1
#   token: \${ASSAY_CONTROL_TOKEN}

# Merchants by role, for a target without a control API and without a driver. Checks that need an absent role are skipped.
# merchants:
#   default:
#     merchantId: M-1
#     apiKey: \${ASSAY_API_KEY}
#     apiSecret: \${ASSAY_API_SECRET}
#   # A second merchant, one without API Checkout, and one whose balance covers no refund: the same three keys each.
#   other: { merchantId: M-2, apiKey: key-2, apiSecret: secret-2 }
#   checkoutDisabled: { merchantId: M-3, apiKey: key-3, apiSecret: secret-3 }
#   lowBalance: { merchantId: M-4, apiKey: key-4, apiSecret: secret-4 }

# Platform ids of paid orders of the default merchant that may be refunded, for a target where nothing pays orders. Three are
# enough for nearly all checks. List new ones for each run.
# fixtures:
#   paidOrders: [ord-1, ord-2]

# The host and port on which the run receives webhooks, and the address at which the target reaches them. Without cert and
# key, the run uses a self-signed certificate.
# webhooks:
#   listen: 0.0.0.0:8443
#   url: https://hooks.example.com
#   cert: hooks.pem
#   key: hooks-key.pem

# Certificates for connections to the target: an authority that is trusted beside the public ones, and a client certificate.
# tls:
#   ca: authority.pem
#   cert: runner.pem
#   key: runner-key.pem

# Limits of a run. It stops before it exceeds one of the first three, and waits to keep requestsPerSecond. Without allowHosts
# it contacts only the hosts of the target and its control API.
# limits:
#   allowHosts: [sandbox.example.com]
#   maxOrders: 5000
#   maxAmount: "10.00"
#   requestsPerSecond: 200

# How long to wait, in milliseconds, for a state or a webhook for which the contract sets no deadline.
# timing:
#   settleMs: ${runDefaults.settle}
#   webhookMs: ${runDefaults.webhookWait}

# The version of the suite that judges. Checks that came later are shown, and do not count. Without this key, every check counts.
# suite: "${suiteVersions.at(-1)}"

# A file that lists known failures, each { check, reason, until }. A run then fails only because of new ones.
# baseline: known-failures.yaml
`;

/** The text of the file. The open points come from the contract's register. */
function template(offered: Offered | undefined): string {
  const points = `
# Open points to judge, each with the value that it must have. All others are only observed, or warned about where the
# register says so.
# open-points:
${openPoints.map(openPointLines).join('#\n')}`;
  const text = `${head}${points}`;
  if (!offered) return text;
  const { target, areas, unmet } = offered;
  return [
    { line: /^target: .*$/m, text: `target: ${target}` },
    ...(areas.length < scopeAreas.length ? [{ line: /^# areas: .*$/m, text: `areas: [${areas.join(', ')}]` }] : []),
    ...(unmet.length > 0 ? [{ line: /^# without: .*$/m, text: `without: [${unmet.join(', ')}]` }] : []),
  ].reduce((written, { line, text: declared }) => written.replace(line, () => declared), text);
}

function openPointLines({ id, question, values, reference }: OpenPoint): string {
  const permitted = Object.entries(values).flatMap(([value, text]) => wrapped(`${value}: ${text}`, '#   #   '));
  return [...wrapped(question, '#   # '), ...permitted, `#   ${id}: "${reference}"`]
    .map((line) => `${line}\n`)
    .join('');
}

/** Text in lines of at most 120 characters that begin with `prefix`. */
function wrapped(text: string, prefix: string): string[] {
  const lines = [prefix];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length > 120 && line !== prefix) lines.push(`${prefix}${word} `);
    else lines[lines.length - 1] = `${line}${word} `;
  }
  return lines.map((line) => line.trimEnd());
}
