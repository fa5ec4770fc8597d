import { contract } from '../../generated/contract.ts';
import { atPointer } from './json.ts';

/** The `code` of every answer to a request that was carried out (requirement `general.success-code`). */
export const successCode: string = readSuccessCode();

function readSuccessCode(): string {
  const code = atPointer(contract, '/components/schemas/OrderSuccess/properties/code/const');
  if (typeof code !== 'string') throw new Error('the contract has no success code at OrderSuccess.code');
  return code;
}
