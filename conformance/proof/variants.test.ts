import { expect, it } from 'vitest';
import { testUnaccused } from './testing/unaccused.ts';
import { generalVariants, variants } from './variants.ts';

it('every variant has an id of its own', () => {
  const ids = variants.map(({ id }) => id);
  expect(ids.filter((id, index) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) || ids.indexOf(id) !== index)).toEqual([]);
});

testUnaccused(generalVariants);
