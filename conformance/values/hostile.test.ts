import { describe, expect, it } from 'vitest';
import { isObject, parseJson } from '../contract/json.ts';
import { contractOperations } from '../contract/operations.ts';
import { fullestExample } from './classed-values.ts';
import { hostileBodies } from './hostile.ts';

const operations = contractOperations.filter(({ examples }) => examples.length > 0).map(({ name }) => name);

describe('hostileBodies', () => {
  it.each(operations)(
    'has no body of %s that must be refused and is a JSON object with fields of the contract',
    (operation) => {
      const right = fullestExample(operation);
      const readable = hostileBodies(right).filter(({ refused, what, bytes }) => {
        const value = parseJson(bytes.toString('utf8'));
        return (
          refused && what !== 'an object of two million characters' && isObject(value) && Object.keys(value).length > 0
        );
      });
      expect(readable.map(({ what }) => what)).toEqual(['10000 objects within each other']);
    },
  );
});
