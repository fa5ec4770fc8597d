import { expect, it } from 'vitest';
import { isTaken, needAccepted } from '../../check/expect.ts';
import { Broken, Inconclusive } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import { acceptedWith, ifTaken, momentsOfTheDay, sideBySide } from './situations.ts';

const fault = new Broken('INIT', {
  expected: 'CLOSED',
  actual: 'INIT',
  requirement: 'orders.states.expired',
  exchange: 3,
});
const thrownBy = (...parts: Promise<unknown>[]) =>
  sideBySide(parts).then(
    () => undefined,
    (error: unknown) => error,
  );

it('a fault says in how many of the cases beside it there is one', async () => {
  const parts = [
    Promise.reject(fault),
    Promise.resolve(),
    Promise.reject(new Inconclusive('lost')),
    Promise.reject(fault),
  ];
  const thrown = await thrownBy(...parts);
  expect(thrown).toMatchObject({
    expected: 'CLOSED',
    actual: 'INIT; of 4 cases side by side 2 show a fault',
    requirement: 'orders.states.expired',
    exchange: 3,
  });
  // Cases may be made of cases.
  expect(await thrownBy(Promise.reject(thrown), Promise.resolve())).toMatchObject({
    actual: 'INIT; of 4 cases side by side 2 show a fault',
  });
});

it('a fault in every case is told as it is', async () => {
  expect(await thrownBy(Promise.reject(fault), Promise.reject(fault))).toMatchObject({ actual: 'INIT' });
});

it('a create that should be accepted is told with what is special in it', () => {
  const refused: Answer = {
    exchange: 1,
    status: 200,
    headers: {},
    text: '',
    json: { code: '90001', message: 'no' },
  };
  const told = (changes: object) => () => acceptedWith(changes)(refused, 'making an order');
  const expected = (words: string) => expect.objectContaining({ expected: words });
  expect(told({})).toThrow(expected('making an order: code = 00000'));
  expect(told({ items: [1, 2, 3], expiresAt: '2040-01-01T00:00:00Z' })).toThrow(
    expected('making an order with 3 entries in items and expiresAt = 2040-01-01T00:00:00Z: code = 00000'),
  );
});

it('only a refusal of what was asked is a choice of the target', async () => {
  const answered = (code: string, status = 200): Answer => {
    const json = { code, message: 'no' };
    return { exchange: 1, status, headers: {}, text: JSON.stringify(json), json };
  };
  const make = (answer: Answer) => ifTaken((async () => needAccepted(answer, 'making an order'))().then(() => 'made'));
  expect(await make(answered('00000'))).toBe('made');
  expect(await make(answered('10001'))).toBeUndefined();
  expect(isTaken(answered('00000'), 'a create')).toBe(true);
  expect(isTaken(answered('10001'), 'a create')).toBe(false);
  for (const nothing of [answered('90001'), answered('99999'), answered('10001', 500), answered('NO_ENTRY', 401)]) {
    await expect(make(nothing)).rejects.toThrow(Inconclusive);
    expect(() => isTaken(nothing, 'a create')).toThrow(Inconclusive);
  }
});

const minute = 60_000;
const hour = 60 * minute;

it('finds as many moments at any time of the day, each one to 23 hours ahead', () => {
  const midnight = Date.parse('2027-02-28T00:00:00Z');
  const times = Array.from({ length: 24 * 6 }, (_, index) => midnight + index * 10 * minute);
  const ahead = times.map((time) => momentsOfTheDay({ now: () => time }).map((text) => Date.parse(text) - time));
  expect(new Set(ahead.map(({ length }) => length))).toEqual(new Set([7]));
  expect(Math.min(...ahead.flat())).toBeGreaterThan(hour);
  expect(Math.max(...ahead.flat())).toBeLessThan(23 * hour);
});

it('keeps to the times of the day that tell the most where they are far enough ahead', () => {
  expect(momentsOfTheDay({ now: () => Date.parse('2027-02-28T06:15:00Z') })).toEqual([
    '2027-03-01T00:00:00.007Z',
    '2027-03-01T00:30:09.070Z',
    '2027-02-28T11:59:59.900Z',
    '2027-02-28T12:00:05.001Z',
    '2027-02-28T12:59:09.099Z',
    '2027-02-28T13:00:00.010Z',
    '2027-02-28T23:59:59.009Z',
  ]);
});
