import { expect, it } from 'vitest';
import { jsonText } from './json.ts';

it('has no half characters, at which jq refuses a whole file, and leaves everything else as it is', () => {
  const half = '\ud83c';
  const body = '{"text":"\\ud83c\\\\ud83c 🍵"}';
  expect(JSON.parse(jsonText({ half, body }))).toEqual({ half: '\ufffd', body });
  expect(jsonText({ half })).toBe('{\n  "half": "\\ufffd"\n}\n');
});
