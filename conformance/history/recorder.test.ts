import { expect, it } from 'vitest';
import { createRecorder } from './recorder.ts';

it('keeps what the run asks to the end, however much the target says', () => {
  const facts = {
    suite: '0',
    target: 'https://pay.example',
    seed: 1,
    clockAhead: 0,
    settle: 0,
    webhookWait: 0,
    pins: {},
  };
  const recorder = createRecorder(facts);
  const own = `{"callbackUrl":"https://shop.example/${'a'.repeat(2000)}"}`;
  const long = 'x'.repeat(1024 * 1024);
  for (let kept = 0; kept < 40; kept += 1) expect(recorder.keepBody(long).cut).toBeUndefined();
  expect(recorder.keepBody(own)).toMatchObject({ cut: true });
  expect(recorder.keepOwnBody(own)).toEqual({ text: own });
  expect(recorder.keepOwnBody(`${long}x`)).toMatchObject({ cut: true });
});
