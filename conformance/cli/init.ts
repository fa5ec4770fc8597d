import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { type OpenPoint, openPoints } from '../../generated/catalogue.ts';
import { messageOf } from '../errors/message-of.ts';
import { UsageError } from '../errors/usage-errors.ts';
import { defaultFile } from '../run/configuration.ts';

/** `assay init`: writes a configuration that names every key there is. */
export function initCommand(): Command {
  return new Command('init')
    .helpGroup('Judge an implementation:')
    .summary('write a commented assay.yaml')
    .description(`Write a commented ${defaultFile} into this folder, with every key that there is.`)
    .action(init);
}

function init(): void {
  try {
    writeFileSync(defaultFile, template(), { flag: 'wx' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new UsageError(`${defaultFile} is there already; move it away first`);
    }
    throw new UsageError(`${defaultFile} cannot be written: ${messageOf(error)}`);
  }
  process.stderr.write(`wrote ${defaultFile}: give it your target, then try assay doctor\n`);
}

// A line that begins with `# ` and a key is part of the configuration once these two characters are gone.

const head = `# What assay judges, and how. A flag beats the environment, and the environment this file.
# A value may name a variable of the environment, as in \${ASSAY_API_SECRET}; files are found from where this one stands.
# Every key is here; those that are commented out show an example.

# What stands before /api/v1.
target: https://sandbox.example.com

# What the implementation has; checks of other areas are skipped. Left out, it has all.
# areas: [orders, refunds, checkout, webhooks]

# Its sandbox control API (openapi/sandbox-control.yaml), which makes merchants and lets things happen to orders and
# refunds. Without url it is at TARGET/sandbox/v1. ASSAY_CONTROL_TOKEN in the environment is enough by itself.
# control:
#   url: https://sandbox.example.com/sandbox/v1
#   token: \${ASSAY_CONTROL_TOKEN}

# Where nothing makes merchants: those that there are. Checks that need a role which is absent are skipped.
# merchants:
#   default:
#     merchantId: M-1
#     apiKey: \${ASSAY_API_KEY}
#     apiSecret: \${ASSAY_API_SECRET}
#   # A second merchant, one without API Checkout, and one whose balance covers no refund: the same three keys each.
#   other: { merchantId: M-2, apiKey: key-2, apiSecret: secret-2 }
#   checkoutDisabled: { merchantId: M-3, apiKey: key-3, apiSecret: secret-3 }
#   lowBalance: { merchantId: M-4, apiKey: key-4, apiSecret: secret-4 }

# Where nothing pays orders: platform ids of paid orders of the default merchant that may be refunded. Each is used once.
# fixtures:
#   paidOrders: [ord-1, ord-2]

# Where webhooks are received, and the address under which the target reaches that. Without cert and key a certificate is
# made for the run, which nobody vouches for.
# webhooks:
#   listen: 0.0.0.0:8443
#   url: https://hooks.example.com
#   cert: hooks.pem
#   key: hooks-key.pem

# For connections to the target: an authority that is trusted beside the public ones, and our own certificate.
# tls:
#   ca: authority.pem
#   cert: runner.pem
#   key: runner-key.pem

# A run stops before it would pass one of these, and holds requests back to keep to requestsPerSecond. Without allowHosts it
# contacts the hosts of the target and its control API alone.
# limits:
#   allowHosts: [sandbox.example.com]
#   maxOrders: 5000
#   maxAmount: "10.00"
#   requestsPerSecond: 200

# How long to wait, in milliseconds, for what the contract dates nowhere: a state to be reached, a webhook to come.
# timing:
#   settleMs: 15000
#   webhookMs: 20000

# A list of failures that are known, each { check, reason, until }, so that a run fails only because of new ones.
# baseline: known-failures.yaml
`;

/** The file's text. Open points are written from the register. */
function template(): string {
  const points = `
# Open points that are to be judged, each with the value that it must have. What is left out is only observed.
# open-points:
${openPoints.map(openPointLines).join('#\n')}`;
  return `${head}${points}`;
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
