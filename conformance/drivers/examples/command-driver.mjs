#!/usr/bin/env node
// A driver that is a program, for `assay run --target … --driver 'command:./command-driver.mjs'`; any language will do.
//
// It is started once for each step, reads one line of JSON from stdin and prints one to stdout. What is for people goes to
// stderr, and is shown when something is wrong. A program of your own does the steps with whatever you have for them; this
// one uses the control API of the reference server, whose address and token it has from the environment.
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
  // refused: the state rules do not have this move. Everything else that goes wrong says nothing about the target.
  return answer.ok ? { ok: true, ...json } : { ok: false, refused: answer.status === 409, message: json.detail };
}

const { step, ...args } = JSON.parse(readFileSync(0, 'utf8'));
const answer = (await steps[step]?.(args)) ?? { ok: false, refused: false, message: `there is no step ${step}` };
console.log(JSON.stringify(answer));
