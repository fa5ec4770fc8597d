import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { contract } from '../../generated/contract.ts';
import { listCallbacks } from './callbacks.ts';

test('every operation that takes a callback address has a callback that goes there', () => {
  expect(listCallbacks(contract)).toEqual([
    { operation: 'createOrder', expression: '{$request.body#/callbackUrl}', fault: undefined },
    { operation: 'createRefund', expression: '{$request.body#/notifyUrl}', fault: undefined },
    { operation: 'createCheckoutOrder', expression: '{$request.body#/callbackUrl}', fault: undefined },
  ]);
});

describe('an expression', () => {
  /** The fault of the one callback of a document. */
  function fault(
    expression: string,
    requestBody = '{ content: { json: { schema: { $ref: "#/components/schemas/Wish" } } } }',
  ) {
    const document = parse(`
      paths:
        /orders:
          post:
            operationId: createOrder
            requestBody: ${requestBody}
            callbacks: { done: { '${expression}': { post: {} } } }
      components:
        schemas:
          Wish:
            allOf: [{ properties: { hooks: { properties: { a/b: { $ref: '#/components/schemas/Url' } } } } }]
            properties: { url: { $ref: '#/components/schemas/Url' }, count: { type: integer }, name: { type: string } }
          Url: { type: string, format: uri }`);
    const [callback, ...others] = listCallbacks(document);
    expect(others).toEqual([]);
    expect(callback).toMatchObject({ operation: 'createOrder', expression });
    return callback?.fault;
  }

  test.each(['{$request.body#/url}', '{$request.body#/hooks/a~1b}'])('%s leads to a URL', (expression) => {
    expect(fault(expression)).toBeUndefined();
  });

  test.each([
    ['{$request.body#/ulr}', 'leads to no field'],
    ['{$request.body#/url/more}', 'leads to no field'],
    ['{$request.body#/count}', 'leads to a field that is no text'],
    ['{$request.body#/name}', 'leads to a field that is no URL'],
    ['{$request.query.url}', 'is no field of the request body'],
    ['{$response.body#/url}', 'is no field of the request body'],
    ['{$request.body#/url', 'is no field of the request body'],
    ['https://shop.test/hooks', 'is no field of the request body'],
  ])('%s %s', (expression, expected) => {
    expect(fault(expression)).toBe(expected);
  });

  test('of an operation without a body leads to no field', () => {
    expect(fault('{$request.body#/url}', '{}')).toBe('leads to no field');
  });
});
