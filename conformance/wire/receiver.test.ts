import { request } from 'node:https';
import { describe, expect, it } from 'vitest';
import { openReceiver } from './receiver.ts';

/** The status with which a receiver answers an event that is sent to `url`, wherever the address of that leads. */
function statusAt(origin: string, url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const to = `${origin}${new URL(url).pathname}`;
    const sent = request(to, { method: 'POST', rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end('{}');
  });
}

describe('the receiver of webhooks', () => {
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
