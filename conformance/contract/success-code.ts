import { contract } from '../../generated/contract.ts';
import { atPointer } from './json.ts';

/** The code of every answer that says that a request was carried out (requirement `general.success-code`). */
export const successCode: string = readSuccessCode();

function readSuccessCode(): string {
  const code = atPointer(contract, '/components/schemas/OrderSuccess/properties/code/const');
  if (typeof code !== 'string') throw new Error('the contract names no code of success');
  return code;
}
