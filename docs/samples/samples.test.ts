// Runs the samples of the guides against the reference server, as a reader would.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { signatureOf } from '../../conformance/wire/signing/signature.ts';
import { eventOf } from '../../server/tests/support/contract.ts';
import { send } from '../../server/tests/support/http.ts';
import {
  merchantClient,
  newMerchant,
  newOrderId,
  orderEvent,
  startTestServer,
  type TestServer,
} from '../../server/tests/support/server.ts';
import type { Credentials } from '../../server/tests/support/signing.ts';
import { type Received, type Receiver, startReceiver } from '../../server/webhooks/testing/receiver.ts';

interface Language {
  name: string;
  /** The command that runs the merchant sample, without the arguments of the sample. */
  merchant: string[];
  /** The command that starts the webhook receiver. Without one, the merchant sample verifies single webhooks. */
  receiver?: string[];
  /** Commands that must exist, with a pattern for the version that they print. */
  needs: [command: string[], version: RegExp][];
}

// A run is so short that compiling its code well would take longest.
const java = ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
const tsx = [process.execPath, '--import', import.meta.resolve('tsx')];
const languages: Language[] = [
  {
    name: 'curl',
    merchant: ['bash', 'curl/merchant.sh'],
    needs: [
      [['bash', '--version'], /bash/],
      [['curl', '--version'], /curl/],
      [['openssl', 'version'], /SSL/],
    ],
  },
  {
    name: 'TypeScript',
    merchant: [...tsx, 'typescript/merchant.ts'],
    receiver: [...tsx, 'typescript/webhooks.ts'],
    needs: [],
  },
  {
    name: 'Python',
    merchant: ['python3', 'python/merchant.py'],
    receiver: ['python3', 'python/webhooks.py'],
    needs: [[['python3', '--version'], /Python 3\.(9|[1-9]\d)/]],
  },
  {
    name: 'Java',
    merchant: [...java, 'java/Merchant.java'],
    receiver: [...java, 'java/Merchant.java', 'webhooks'],
    needs: [[['java', '-version'], /version "(1[7-9]|[2-9]\d)/]],
  },
];

const folder = fileURLToPath(new URL('.', import.meta.url));
const path = '/hooks/assay';

let server: TestServer;
let merchant: Credentials;
let inbox: Receiver;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await newMerchant(server);
  inbox = await startReceiver((response) => response.end());
});
afterAll(async () => {
  await server.close();
  await inbox.close();
});

/** The environment of a sample. */
function environment(changes: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { merchantId, apiKey, apiSecret } = merchant;
  return {
    PATH: process.env.PATH,
    PYTHONDONTWRITEBYTECODE: '1',
    ASSAY_TARGET: server.url,
    ASSAY_MERCHANT_ID: merchantId,
    ASSAY_API_KEY: apiKey,
    ASSAY_API_SECRET: apiSecret,
    ...changes,
  };
}

interface Outcome {
  code: number;
  /** The lines of standard output that are JSON, parsed. */
  answers: { code: string; message: string; data: Record<string, unknown> }[];
  stdout: string;
}

/** Runs a sample to its end. */
function run([command = '', ...before]: string[], args: string[], changes = {}, stdin: Buffer | string = '') {
  return new Promise<Outcome>((resolve) => {
    const options = { cwd: folder, env: environment(changes) };
    const child = execFile(command, [...before, ...args], options, (error, stdout) => {
      const lines = stdout.trim().split('\n');
      const answers = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
      resolve({ code: error ? Number(error.code) : 0, answers, stdout });
    });
    // A sample that reads no input may have closed it.
    child.stdin?.on('error', () => {});
    child.stdin?.end(stdin);
  });
}

/** The reason why a language cannot be tested on this machine. Undefined if it can. */
function missing({ needs }: Language): string | undefined {
  const absent = needs.find(([[command = '', ...args], version]) => {
    const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    return !version.test(`${stdout}${stderr}`);
  });
  return absent && `${absent[0].join(' ')} does not print ${absent[1]}`;
}

/** The two webhooks of a paid checkout order, as the server sent them, in the order of the changes. */
async function webhooks(): Promise<{ orderId: string; events: [Received, Received] }> {
  const client = merchantClient(server, merchant);
  const created = await client.request(
    'POST',
    `/api/v1/merchants/${merchant.merchantId}/checkout/orders`,
    JSON.stringify({
      merchantOrderId: newOrderId(),
      orderAmount: { value: '10', currency: 'USDT' },
      paymentMethodType: 'ON_CHAIN_TRANSFER',
      network: 'tron',
      expiresAt: new Date(server.clock() + 600_000).toISOString(),
      callbackUrl: `http://127.0.0.1:${inbox.port}${path}?tenant=7`,
    }),
  );
  const { orderId } = (created.body as { data: { orderId: string } }).data;
  for (const type of ['transaction_detected', 'payment_confirmed']) {
    expect(await orderEvent(server, { merchantId: merchant.merchantId, orderId }, { type })).toMatchObject({
      status: 200,
    });
  }
  return vi.waitFor(() => {
    const statusOf = ({ body }: Received) => eventOf(body, 'OrderEvent').status;
    const events = inbox.received.filter(({ body }) => body.includes(orderId));
    const [processing, succeeded] = ['PROCESSING', 'SUCCEEDED'].map((s) => events.find((e) => statusOf(e) === s));
    if (!processing || !succeeded) throw new Error('one of the two webhooks has not arrived yet');
    return { orderId, events: [processing, succeeded] };
  });
}

/** The same webhook with one byte of its body changed. */
function tampered({ body, ...webhook }: Received): Received {
  const changed = Buffer.from(body);
  changed.write('9', changed.indexOf('"10"') + 1);
  expect(changed.equals(body)).toBe(false);
  return { ...webhook, body: changed };
}

for (const language of languages) {
  const reason = missing(language);
  if (reason !== undefined) {
    test.skip(`the samples in ${language.name}: ${reason}`, () => {});
    continue;
  }
  describe(`the samples in ${language.name}`, () => {
    const { merchant: sample } = language;

    test('create an order, query it, and refund it once it is paid', async () => {
      const id = newOrderId();
      const created = await run(sample, ['create', id]);
      expect(created).toMatchObject({ code: 0, answers: [{ code: '00000', data: { merchantOrderId: id } }] });
      const orderId = String(created.answers[0]?.data.orderId);
      for (const type of ['transaction_detected', 'payment_confirmed']) {
        await orderEvent(server, { merchantId: merchant.merchantId, orderId }, { type });
      }
      const queried = await run(sample, ['query', id]);
      expect(queried).toMatchObject({ code: 0, answers: [{ code: '00000', data: { orderId, status: 'SUCCEEDED' } }] });

      const refund = { acquiringOrderId: orderId, status: 'PENDING', refundAmount: '25.50' };
      const refunded = await run(sample, ['refund', orderId]);
      expect(refunded).toMatchObject({ code: 0, answers: [{ data: refund }, { data: refund }] });
    });

    test('create a checkout order under an id of their own', async () => {
      const address = { status: 'INIT', network: 'tron', depositAddress: expect.stringMatching(/^T/) };
      expect(await run(sample, ['checkout'])).toMatchObject({ code: 0, answers: [{ code: '00000', data: address }] });
    });

    test('fail when they are refused: a changed secret, an order that does not exist', async () => {
      const changed = await run(sample, ['create'], { ASSAY_API_SECRET: `${merchant.apiSecret}x` });
      expect(changed).toMatchObject({ code: 1, answers: [{ code: '90001' }] });
      expect(await run(sample, ['query', newOrderId()])).toMatchObject({ code: 1, answers: [{ code: '40001' }] });
    });

    if (language.receiver === undefined) {
      test('verify a webhook, but not with a changed byte, an old time or another path', async () => {
        const {
          events: [event],
        } = await webhooks();
        const verify = ({ headers, body }: Received, to = path) =>
          run(sample, ['verify', `${headers['x-timestamp']}`, `${headers['x-signature']}`, to], {}, body);
        expect(await verify(event)).toMatchObject({ code: 0, stdout: 'verified\n' });
        expect(await verify(tampered(event))).toMatchObject({ code: 1, stdout: 'not verified: wrong signature\n' });
        expect((await verify(event, '/other')).code).toBe(1);
        expect((await verify(signedAt(Date.now() - 301_000, event))).stdout).toContain('the timestamp is too old');
      });
      return;
    }

    const { receiver } = language;
    test('handle each webhook once and in order, and refuse unverified ones', async () => {
      const { orderId, events } = await webhooks();
      const [processing, succeeded] = events;
      const { child, port, lines } = await start(receiver);
      try {
        const deliver = async ({ headers, target, body }: Received) => {
          const sent = { 'X-Timestamp': `${headers['x-timestamp']}`, 'X-Signature': `${headers['x-signature']}` };
          const answer = await send(`http://127.0.0.1:${port}`, { method: 'POST', target, headers: sent, body });
          return answer.status;
        };
        expect(await deliver(tampered(succeeded))).toBe(401);
        expect(await deliver(signedAt(Date.now() - 301_000, succeeded))).toBe(401);
        expect(await deliver({ ...succeeded, headers: {} })).toBe(401);
        expect(await deliver(succeeded)).toBe(200);
        expect(await deliver(signedAt(Date.now(), succeeded))).toBe(200);
        expect(await deliver(processing)).toBe(200);
        await vi.waitFor(() =>
          expect(lines).toEqual([
            'not verified',
            'not verified',
            'not verified',
            `handled ${orderId} SUCCEEDED`,
            `repeated or late ${orderId} SUCCEEDED`,
            `repeated or late ${orderId} PROCESSING`,
          ]),
        );
      } finally {
        child.kill();
      }
    });
  });
}

/** The same webhook, signed again as another attempt at that time. */
function signedAt(milliseconds: number, webhook: Received): Received {
  const timestamp = String(milliseconds);
  const signature = signatureOf(
    { timestamp: `webhook\n${timestamp}`, method: 'POST', path, body: webhook.body },
    merchant.apiSecret,
  );
  return { ...webhook, headers: { 'x-timestamp': timestamp, 'x-signature': signature } };
}

/** Starts a receiver on a free port. Each line that the receiver prints is added to `lines`. */
async function start([command = '', ...args]: string[]): Promise<{
  child: ChildProcess;
  port: number;
  lines: string[];
}> {
  const child = spawn(command, [...args, '0'], {
    cwd: folder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const reader = createInterface({ input: child.stdout });
  const [first] = await once(reader, 'line');
  const lines: string[] = [];
  reader.on('line', (line) => lines.push(line));
  const [port] = String(first).match(/\d+(?=\D*$)/) ?? [];
  return { child, port: Number(port), lines };
}
