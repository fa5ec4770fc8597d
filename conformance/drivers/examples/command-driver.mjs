#!/usr/bin/env node
// A driver that is a program, for `assay run --target … --driver 'command:./command-driver.mjs'`; any language will do.
//
// Assay starts it once for each step. It reads one line of JSON from stdin and prints one line to stdout. Text for people goes
// to stderr, which Assay shows when something is wrong. Your own program does the steps with your own tools. This one uses the
// control API of the reference server, with address and token from the environment.
import { readFileSync } from 'node:fs';

const { EXAMPLE_CONTROL: control, EXAMPLE_TOKEN: token } = process.env;

const steps = {
  capabilities: () => ({ ok: true, capabilities: ['provisionMerchant', 'orderEvent', 'advanceClock'] }),
  provisionMerchant: ({ settings }) => call('/merchants', settings),
  orderEvent: ({ merchantId, orderId, event }) => call(`/merchants/${merchantId}/orders/${orderId}/events`, event),
  advanceClock: ({ merchantId, seconds }) => call(`/merchants/${merchantId}/clock`, { advanceSeconds: seconds }),
};

async function call(path, body) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`${control}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const json = await answer.json();
  // refused: the state rules do not allow this move. Any other failure says nothing about the target.
  return answer.ok ? { ok: true, ...json } : { ok: false, refused: answer.status === 409, message: json.detail };
}

const { step, ...args } = JSON.parse(readFileSync(0, 'utf8'));
const answer = (await steps[step]?.(args)) ?? { ok: false, refused: false, message: `there is no step ${step}` };
console.log(JSON.stringify(answer));
