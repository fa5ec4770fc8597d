import { describe, expect, it } from 'vitest';
import { Inconclusive } from '../errors/outcomes.ts';
import type { Answer } from './exchange.ts';
import { isUnexplained } from './interruptions.ts';
import { guardLimits } from './limits.ts';
import { createRecovery, type RefusedRequest } from './recovery.ts';

const answerOf = (code: string, status = 200): Answer => ({
  exchange: 1,
  status,
  headers: {},
  text: '',
  json: { code },
});

/** Answers with these codes, one after the other, and with the last one from then on. */
function answering(...codes: [string, ...string[]]): () => Promise<Answer> {
  let sent = 0;
  return async () => {
    sent += 1;
    return answerOf(codes[Math.min(sent, codes.length) - 1] ?? codes[0]);
  };
}

/** The target counts all requests together. */
const allTogether = { mayBeOwn: () => false, refused: () => false };

const unheard = () => undefined;

/** A refused request of one merchant, which waits in vain. */
const ofMerchant = (refused: Omit<RefusedRequest, 'merchantId' | 'area' | 'aside'>): RefusedRequest => ({
  merchantId: 'M-1',
  area: 'orders',
  aside: (work) => work,
  ...refused,
});

const recovery = (mayWait = true) =>
  createRecovery({ ...guardLimits({}), mayWait: () => mayWait }, allTogether, unheard);

describe('a refusal that says nothing about the request', () => {
  it.each<[string, boolean, string, number, string | undefined]>([
    ['a system error', true, '99999', 200, 'orders'],
    ['a system error of refunds', true, 'SYSTEM_ERROR', 500, 'refunds'],
    ['a code that the contract does not name', true, '77001', 200, 'checkout'],
    ['a failed server', true, '10001', 500, 'orders'],
    ['a refused parameter', false, '10001', 200, 'orders'],
    ['a code of its own for a refund', false, 'ORDER_LOCKED', 400, 'refunds'],
    ['a success', false, '00000', 200, 'orders'],
    ['HTTP 429, which has a wait of its own', false, '99999', 429, 'orders'],
  ])('%s: %s', (_what, expected, code, status, area) => {
    expect(isUnexplained(answerOf(code, status), area)).toBe(expected);
  });

  it('belongs to the request when others are carried out', async () => {
    const refused = ofMerchant({
      answer: answerOf('99999'),
      askKnown: answering('00000'),
      askUnknown: answering('99999'),
      sendAgain: answering('99999'),
    });
    expect((await recovery().recover(refused)).json).toEqual({ code: '99999' });
  });

  it('says as little under another name', async () => {
    const refused = {
      answer: answerOf('99999'),
      askKnown: answering('00000'),
      askUnknown: answering('40001'),
    };
    const passing = ofMerchant({ ...refused, sendAgain: answering('77001', '00000') });
    expect((await recovery().recover(passing)).json).toEqual({ code: '00000' });
    const lasting = ofMerchant({ ...refused, sendAgain: answering('77001') });
    expect((await recovery().recover(lasting)).json).toEqual({ code: '77001' });
  });

  it('of what was carried out already is none for good, however often it comes', async () => {
    const { recover } = recovery();
    const refused = ofMerchant({
      answer: answerOf('77001'),
      askKnown: answering('00000'),
      askUnknown: answering('40001'),
      sendAgain: async () => undefined,
    });
    for (let request = 1; request <= 5; request += 1) await recover(refused);
    expect((await recover({ ...refused, sendAgain: answering('00000') })).json).toEqual({ code: '00000' });
  });

  it('is waited out when what was carried out before is refused too', async () => {
    const refused = ofMerchant({
      answer: answerOf('99999'),
      askKnown: answering('99999', '00000'),
      askUnknown: answering('99999'),
      sendAgain: answering('10001'),
    });
    expect((await recovery().recover(refused)).json).toEqual({ code: '10001' });
  });

  it('is tried again once, without a wait, before anything was carried out', async () => {
    const waits: number[] = [];
    const mayWait = (pause: number) => waits.push(pause) > 0;
    const { recover } = createRecovery({ ...guardLimits({}), mayWait }, allTogether, unheard);
    const answer = answerOf('77001');
    const passing = ofMerchant({ answer, askUnknown: answering('40001'), sendAgain: answering('00000') });
    expect((await recover(passing)).json).toEqual({ code: '00000' });
    const down = ofMerchant({
      answer: answerOf('88001'),
      askUnknown: answering('88001'),
      sendAgain: answering('88001'),
    });
    expect((await recover(down)).json).toEqual({ code: '88001' });
    expect(waits).toEqual([]);
  });

  it('passes where a limit leaves room for one request at a time, which a query takes first', async () => {
    let room = 1;
    const taking = (accepted: string) => async () => {
      room -= 1;
      return answerOf(room < 0 ? '99999' : accepted);
    };
    const refused = ofMerchant({
      answer: answerOf('99999'),
      askKnown: taking('00000'),
      askUnknown: taking('40001'),
      sendAgain: async () => {
        const answer = await taking('00000')();
        room = 1;
        return answer;
      },
    });
    expect((await recovery().recover(refused)).json).toEqual({ code: '00000' });
  });

  it('passes where the query that was carried out before is refused too, after so many times', async () => {
    const refused = ofMerchant({
      answer: answerOf('99999'),
      askKnown: answering('00000', '99999'),
      askUnknown: answering('40001'),
      sendAgain: answering('99999', '99999', '99999', '00000'),
    });
    expect((await recovery().recover(refused)).json).toEqual({ code: '00000' });
  });

  it('belongs to the request when the known query is refused for good, and others are not', async () => {
    const [askKnown, askUnknown] = [answering('99999'), answering('40001')];
    const refused = ofMerchant({ answer: answerOf('99999'), askKnown, askUnknown, sendAgain: answering('99999') });
    expect((await recovery().recover(refused)).json).toEqual({ code: '99999' });
  });

  it('that is known to pass leaves open what it refuses', async () => {
    const { recover } = recovery(false);
    const answer = answerOf('99999');
    await recover(
      ofMerchant({
        answer,
        askKnown: answering('00000'),
        askUnknown: answering('99999'),
        sendAgain: answering('00000'),
      }),
    );
    const refused = ofMerchant({
      answer,
      askKnown: answering('00000'),
      askUnknown: answering('99999'),
      sendAgain: answering('99999'),
    });
    await expect(recover(refused)).rejects.toThrow(Inconclusive);
    await expect(recover(refused)).rejects.toThrow('limits.requestsPerSecond');
  });

  it.each([
    ['99999', 'a failure of the service', 3],
    ['77001', 'a code that the contract does not name', 1],
  ])('%s, %s, is for good once the request was sent again %i times', async (code, _what, times) => {
    let sent = 0;
    const sendAgain = async () => {
      sent += 1;
      return answerOf(code);
    };
    const { recover } = recovery();
    const known = { askKnown: answering('00000'), askUnknown: answering('40001') };
    expect((await recover(ofMerchant({ answer: answerOf(code), ...known, sendAgain }))).json).toEqual({ code });
    expect(sent).toBe(times);
  });

  it('that passes for some requests only is waited out twice, and then no more', async () => {
    const asked: number[] = [];
    const mayWait = (pause: number) => {
      asked.push(pause);
      return pause < 500;
    };
    const { recover } = createRecovery({ ...guardLimits({}), mayWait }, allTogether, unheard);
    const refused = (then: string) =>
      ofMerchant({
        answer: answerOf('99999'),
        askKnown: answering('00000'),
        askUnknown: answering('99999'),
        sendAgain: answering(then),
      });
    await recover(refused('00000'));
    for (let request = 1; request <= 3; request += 1) {
      await expect(recover(refused('99999'))).rejects.toThrow(Inconclusive);
    }
    expect(asked).toEqual([250, 500, 250, 500, 250]);
  });

  it('to a request that has had its effect says nothing about how long others are refused', async () => {
    const asked: number[] = [];
    const mayWait = (pause: number) => {
      asked.push(pause);
      return pause < 500;
    };
    const { recover } = createRecovery({ ...guardLimits({}), mayWait }, allTogether, unheard);
    const known = { askKnown: answering('00000'), askUnknown: answering('99999') };
    const refused = ofMerchant({ answer: answerOf('99999'), ...known, sendAgain: answering('00000') });
    await recover(refused);
    for (let request = 1; request <= 3; request += 1) {
      await expect(recover({ ...refused, sendAgain: async () => undefined })).rejects.toThrow(Inconclusive);
    }
    await expect(recover({ ...refused, sendAgain: answering('99999') })).rejects.toThrow(Inconclusive);
    expect(asked).toEqual([250, 500]);
  });

  it('is told by a query of another area where its own has none yet', async () => {
    const { keepKnown, known } = recovery();
    const query = answering('00000');
    keepKnown('M-1', 'orders', query);
    expect([known('M-2', 'refunds'), known('M-2', 'orders')]).toEqual([query, query]);
  });

  it('of a merchant that may have a limit of its own keeps no other one waiting, and is waited out aside', async () => {
    const together: string[] = [];
    const ownLimits = { mayBeOwn: () => true, refused: () => true };
    const { recover, admitted, pending } = createRecovery(guardLimits({}), ownLimits, () => void together.push('all'));
    let goOn: () => void = () => undefined;
    const aside = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const refused: RefusedRequest = {
      ...ofMerchant({
        answer: answerOf('99999'),
        askKnown: answering('00000'),
        askKnownOfMerchant: answering('99999', '00000'),
        askUnknown: answering('99999'),
        sendAgain: answering('00000'),
      }),
      aside: (work) => aside.then(() => work),
    };
    const recovered = recover(refused);
    await admitted();
    expect([pending('M-1') !== undefined, pending('M-2')]).toEqual([true, undefined]);
    goOn();
    expect((await recovered).json).toEqual({ code: '00000' });
    expect(together).toEqual([]);
  });

  it('keeps all waiting otherwise', async () => {
    const { recover, admitted } = recovery();
    let isSentAgain = false;
    const sendAgain = async () => {
      isSentAgain = true;
      return answerOf('00000');
    };
    const [askKnown, askUnknown] = [answering('99999', '00000'), answering('99999')];
    const recovered = recover(ofMerchant({ answer: answerOf('99999'), askKnown, askUnknown, sendAgain }));
    await admitted();
    expect(isSentAgain).toBe(true);
    await recovered;
  });

  it('is handed over where nothing was carried out before', async () => {
    const refused = ofMerchant({
      answer: answerOf('99999'),
      askUnknown: answering('99999'),
      sendAgain: answering('00000'),
    });
    expect((await recovery().recover(refused)).json).toEqual({ code: '99999' });
  });

  it('does not lead to a second order', async () => {
    const { recover } = recovery();
    const refused = ofMerchant({
      answer: answerOf('99999'),
      askKnown: answering('00000'),
      askUnknown: answering('99999'),
      sendAgain: async () => undefined,
    });
    expect((await recover(refused)).json).toEqual({ code: '99999' });
  });
});
