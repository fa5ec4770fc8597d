import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as requestPlainly } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Mailbox } from './mailbox.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { escapedFolder, unusualFolder } from './unusual-folder.ts';

/** The status with which a receiver answers an event that is sent to `url`, wherever the address of that leads. */
function statusAt(
  origin: string,
  url: string,
  method = 'POST',
  { body = '{}', headers = {} }: { body?: string | Buffer; headers?: Record<string, string> } = {},
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const to = `${origin}${new URL(url).pathname}`;
    const sent = request(to, { method, headers, rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('the receiver of webhooks', () => {
  it.each([
    ['unusual', `/webhooks/${unusualFolder}/`],
    ['escaped', `/webhooks/${escapedFolder}/`],
  ] as const)(
    'has an %s folder in an address of its own, and none behind a proxy, which may change it',
    async (name, folder) => {
      for (const url of [undefined, 'https://hooks.example.com/a']) {
        const receiver = await openReceiver({ host: '127.0.0.1', port: 0, ...(url !== undefined && { url }) });
        try {
          const mailbox = receiver.mailbox(() => ({ exchange: 1 }), '?n=1', name);
          expect(mailbox.url.includes(folder)).toBe(url === undefined);
          expect(await statusAt(receiver.origin, mailbox.url)).toBe(200);
        } finally {
          await receiver.close();
        }
      }
    },
  );

  it('shows the address at which a webhook came, where that is not the one that was named', async () => {
    const receiver = await openReceiver({ host: '127.0.0.1', port: 0 });
    try {
      const seen: string[] = [];
      const mailbox = receiver.mailbox(({ exchange }) => ({ exchange: seen.push(exchange.request.url) }), '?shop=7');
      const { origin, pathname } = new URL(mailbox.url);
      // The query of the address is lost on the way.
      expect(await statusAt(origin, mailbox.url)).toBe(200);
      expect(seen).toEqual([`${origin}${pathname}`]);
    } finally {
      await receiver.close();
    }
  });

  it('answers a sender that asks what an address takes, and takes no question for a webhook', async () => {
    const receiver = await openReceiver({ host: '127.0.0.1', port: 0 });
    try {
      const mailbox = receiver.mailbox(() => ({ exchange: 1 }));
      mailbox.reply({ status: 500 });
      expect(await statusAt(receiver.origin, mailbox.url, 'OPTIONS')).toBe(200);
      expect(await statusAt(receiver.origin, mailbox.url, 'HEAD')).toBe(200);
      expect(mailbox.webhooks).toEqual([]);
      expect(await statusAt(receiver.origin, mailbox.url, 'PUT')).toBe(500);
      await mailbox.first(({ method }) => method === 'PUT', 5000);
    } finally {
      await receiver.close();
    }
  });

  it('acknowledges the webhooks that a reply is not meant for', async () => {
    const receiver = await openReceiver({ host: '127.0.0.1', port: 0 });
    try {
      const mailbox = receiver.mailbox(() => ({ exchange: 1 }));
      mailbox.reply({ status: 500 }, ({ text }) => text.includes('PAID'));
      const post = (body: string) => statusAt(receiver.origin, mailbox.url, 'POST', { body });
      expect(await post('{"status":"PROCESSING"}')).toBe(200);
      expect(await post('{"status":"PAID"}')).toBe(500);
    } finally {
      await receiver.close();
    }
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('reads a body that is compressed by %s, and keeps what came for its signature', async (encoding, compress) => {
    const receiver = await openReceiver({ host: '127.0.0.1', port: 0 });
    try {
      const mailbox = receiver.mailbox(() => ({ exchange: 1 }));
      const body = compress('{"status":"PAID"}');
      await statusAt(receiver.origin, mailbox.url, 'POST', { body, headers: { 'Content-Encoding': encoding } });
      const webhook = await mailbox.first(() => true, 5000);
      expect(webhook).toMatchObject({ json: { status: 'PAID' }, encoded: body });
      // What cannot be decoded stays as it is, and neither does a small body become a very large one.
      for (const undecodable of [Buffer.from('{}'), compress('x'.repeat(4 * 1024 * 1024))]) {
        const sent = { body: undecodable, headers: { 'Content-Encoding': encoding } };
        await statusAt(receiver.origin, mailbox.url, 'POST', sent);
        const kept = await mailbox.first((each) => each.body.equals(undecodable), 5000);
        expect(kept?.encoded).toBeUndefined();
      }
    } finally {
      await receiver.close();
    }
  });

  it('takes many senders within few turns of a busy event loop', async () => {
    const receiver = await openReceiver({ host: '127.0.0.1', port: 0 });
    let turns = 0;
    let turn = setImmediate(function busy() {
      turns += 1;
      const until = performance.now() + 2;
      while (performance.now() < until);
      turn = setImmediate(busy);
    });
    try {
      const mailboxes = Array.from({ length: 64 }, () => receiver.mailbox(() => ({ exchange: 1 })));
      const statuses = await Promise.all(mailboxes.map(({ url }) => statusAt(new URL(url).origin, url)));
      expect(new Set(statuses)).toEqual(new Set([200]));
      // A single port takes one connection per turn.
      expect(turns).toBeLessThan(48);
    } finally {
      clearImmediate(turn);
      await receiver.close();
    }
  });

  it('tells of senders that break a connection off before it is secure, and of no others', async () => {
    const codes: string[] = [];
    const receiver = await openReceiver({ host: '127.0.0.1', port: 0 }, (code) => codes.push(code));
    try {
      const { url } = receiver.mailbox(() => ({ exchange: 1 }));
      const sent = (send: typeof request, to: string) =>
        new Promise((resolve) => {
          const sending = send(to, { method: 'POST', agent: false }, resolve);
          sending.on('error', resolve).end();
        });
      expect(await statusAt(receiver.origin, url)).toBe(200);
      await sent(requestPlainly, url.replace('https:', 'http:'));
      expect(await sent(request, url)).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
      await vi.waitFor(() => expect(codes).toEqual(['ECONNRESET']), 10_000);
    } finally {
      await receiver.close();
    }
  });

  it('listens on this machine where the target reaches it at another address', async () => {
    const receiver = await openReceiver({ host: '127.0.0.1', port: 0, url: 'https://hooks.example.com/a' });
    try {
      const mailbox = receiver.mailbox(() => ({ exchange: 1 }));
      expect(mailbox.url).toMatch(/^https:\/\/hooks\.example\.com\/a\/webhooks\//);
      expect(await statusAt(receiver.origin, mailbox.url)).toBe(200);
      expect(mailbox.webhooks.length).toBe(1);
    } finally {
      await receiver.close();
    }
  });

  it('announces a longer body than comes, and closes the connection or leaves it as it is', async () => {
    const receiver = await openReceiver({ host: '127.0.0.1', port: 0 });
    try {
      const [early, endless] = [receiver.mailbox(() => ({ exchange: 1 })), receiver.mailbox(() => ({ exchange: 1 }))];
      early.reply({ status: 500, body: 'half', ends: 'early' });
      endless.reply({ status: 500, body: 'half', ends: 'never' });
      const answered = (url: string) =>
        new Promise<IncomingMessage>((resolve, reject) => {
          const sent = request(url, { method: 'POST', rejectUnauthorized: false, agent: false }, resolve);
          sent.on('error', reject).end('{}');
        });
      const broken = await answered(early.url);
      expect(broken.statusCode).toBe(500);
      await expect(text(broken)).rejects.toThrow('aborted');
      const waiting = await answered(endless.url);
      expect(waiting.statusCode).toBe(500);
      const [chunk] = await once(waiting, 'data');
      expect(String(chunk)).toBe('half');
      expect([early.unanswered(), endless.unanswered()]).toEqual([0, 1]);
      waiting.on('error', () => undefined).destroy();
      await vi.waitFor(() => expect(endless.unanswered()).toBe(0));
    } finally {
      await receiver.close();
    }
  });

  it('waits longer for a sender that may be held up by one without an answer, until another has sent beside it', async () => {
    const receiver = await openReceiver({ host: '127.0.0.1', port: 0 });
    try {
      const [silent, patient] = [receiver.mailbox(() => ({ exchange: 1 })), receiver.mailbox(() => ({ exchange: 1 }))];
      silent.reply('no-answer');
      const never = () => false;
      expect(await patient.first(never, 0)).toBe(undefined);
      const held = statusAt(receiver.origin, silent.url).catch(() => 0);
      await silent.first(() => true, 5000);
      expect([silent, patient].map(({ isHeldUp }) => isHeldUp?.())).toEqual([true, true]);
      const waiting = patient.first(({ text }) => text === '{}', 0);
      expect(await statusAt(receiver.origin, patient.url)).toBe(200);
      expect(await waiting).toMatchObject({ text: '{}' });
      expect(patient.isHeldUp?.()).toBe(false);
      expect(await patient.first(never, 0)).toBe(undefined);
      await receiver.close();
      await held;
    } finally {
      await receiver.close();
    }
  });
});

describe('a sender that gets no answer', () => {
  let receiver: Receiver;
  let mailbox: Mailbox;
  beforeEach(async () => {
    receiver = await openReceiver({ host: '127.0.0.1', port: 0 });
    mailbox = receiver.mailbox(() => ({ exchange: 1 }));
    mailbox.reply('no-answer');
  });
  afterEach(() => receiver.close());

  /** A sender of an event that says that it has two bytes, and has sent `text` of them. */
  function sender(text: string): ClientRequest {
    const headers = { 'Content-Length': 2 };
    const sent = request(mailbox.url, { method: 'POST', headers, rejectUnauthorized: false, agent: false });
    sent.on('error', () => undefined);
    sent.write(text);
    return sent;
  }

  /** A right webhook comes through beside all that has gone wrong, and nobody is said to wait. */
  async function expectNobodyWaits(): Promise<void> {
    await vi.waitFor(() => expect(mailbox.unanswered()).toBe(0));
    expect(mailbox.isHeldUp?.()).toBe(false);
    mailbox.reply({ status: 200 });
    expect(await statusAt(receiver.origin, mailbox.url)).toBe(200);
    expect(mailbox.unanswered()).toBe(0);
    expect(mailbox.isHeldUp?.()).toBe(false);
  }

  it('waits no more when it goes while it waits', async () => {
    const sent = sender('{}');
    sent.end();
    await mailbox.first(() => true, 5000);
    expect([mailbox.unanswered(), mailbox.isHeldUp?.()]).toEqual([1, true]);
    sent.destroy();
    await expectNobodyWaits();
  });

  it('never waits when it goes before its webhook has arrived', async () => {
    const sent = sender('{');
    await new Promise((resolve) => sent.on('socket', (socket) => socket.on('secureConnect', resolve)));
    sent.destroy();
    await expectNobodyWaits();
    expect(mailbox.webhooks).toHaveLength(1);
  });

  it('never waits when it goes at the end of its webhook', async () => {
    const { hostname, port, pathname } = new URL(mailbox.url);
    const head = `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 2\r\n\r\n`;
    const gone = Array.from({ length: 20 }, () => {
      const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
      socket.on('error', () => undefined);
      socket.on('secureConnect', () => socket.write(`${head}{}`, () => socket.destroy()));
      return new Promise((resolve) => socket.on('close', resolve));
    });
    await Promise.all(gone);
    await vi.waitFor(() => expect(mailbox.webhooks).toHaveLength(gone.length));
    await expectNobodyWaits();
  });

  it('never waits when it goes after the answer', async () => {
    mailbox.reply({ status: 503 });
    const sent = sender('{}');
    const answered = new Promise((resolve) => sent.on('response', (response) => resolve(response.statusCode)));
    sent.end();
    expect(await answered).toBe(503);
    sent.destroy();
    await expectNobodyWaits();
  });
});
