import { type EnvelopeFault, envelopeFault } from '../../contract/envelope-faults/envelope-faults.ts';
import { authenticationErrorCodes } from '../../contract/error-codes.ts';
import { parseJson, valueAt } from '../../contract/json.ts';
import { type ContractOperation, matchOperation } from '../../contract/operations.ts';
import { successCode } from '../../contract/success-code.ts';
import type { CheckReport, Report } from '../../run/report.ts';
import { type Exchange, lateAnswer } from '../../wire/exchange.ts';

/** A request of the merchant API with its answer. */
export interface Call {
  exchange: Exchange;
  operation: ContractOperation;
  accepted: boolean;
  /** What became of it, in words that are the same for answers of the same kind, such as `is refused with 90001`. */
  answer: string;
  /** What keeps a reader from the answer. */
  fault?: EnvelopeFault | undefined;
}

/** A check with the calls that it made. */
export interface Asked {
  check: CheckReport;
  calls: readonly Call[];
}

/** An operation counts as always answered in one way from this number of calls on. */
export const fewestCalls = 5;

/** What becomes of a request whose authentication fails. That of rightly signed requests is better examined by the doctor. */
export const authenticationFailures: readonly string[] = authenticationErrorCodes.map(
  (code) => `is ${refusedWith(code)}`,
);

/** The calls of a check, with what became of each. */
export function callsOf({ exchanges }: CheckReport, { target }: Report): Call[] {
  return exchanges.flatMap((exchange) => {
    const { method, url } = exchange.request;
    // The end of the run may have come before the answer to a request that its check did not wait for any more.
    const isOpen = exchange.response === undefined && exchange.error === undefined;
    if (isOpen || !url.startsWith(`${target}/`)) return [];
    const path = url.slice(target.length).replace(/\?.*/s, '');
    const operation = matchOperation(method, path)?.operation;
    return operation ? [{ exchange, operation, ...answerOf(exchange) }] : [];
  });
}

/** What became of a request. */
export function answerOf({ response, error }: Exchange): Pick<Call, 'accepted' | 'answer' | 'fault'> {
  if (!response) {
    const why = (error ?? '').replace(/ *[(;].*/s, '').replace(/\d+/g, '…');
    // For how long it was awaited differs from request to request.
    return {
      accepted: false,
      answer: why.startsWith(lateAnswer) ? 'is not answered in time' : `is not answered (${why})`,
    };
  }
  const code = codeOf(response.body);
  const fault = code === undefined ? envelopeFault({ headers: response.headers, text: response.body }) : undefined;
  if (fault) return { accepted: false, answer: getsAnswerThat(fault.kind), fault };
  if (code === undefined)
    return { accepted: false, answer: `is answered with HTTP ${response.status} and no code of the contract` };
  return { accepted: code === successCode, answer: `is ${refusedWith(code)}` };
}

/** A call that was answered with a code other than that of success. */
export const isRefusedCall = ({ accepted, answer }: Call): boolean =>
  !accepted && answer.startsWith(`is ${refusedWith('')}`);

/** An operation as an activity, from its title in the contract: `Create a hosted order` is `creating a hosted order`. */
export const doing = ({ title }: ContractOperation) =>
  title.replace(/^\w+/, (verb) => `${verb.toLowerCase().replace(/e$/, '')}ing`);

/** What became of a request whose answer cannot be read, from what is wrong with the answer. */
export const getsAnswerThat = (words: string): string => `gets an answer that ${words}`;

function refusedWith(code: string): string {
  return `refused with ${code}`;
}

/** The code of an envelope. A long body is cut in the report, and so it is no JSON any more. */
export function codeOf(body: string): string | undefined {
  const isCut = /…(?: \(\d+ characters\))?$/.test(body.slice(-40));
  const code = isCut ? /^\s*\{[^{}]*?"code"\s*:\s*"([^"]*)"/.exec(body)?.[1] : valueAt(parseJson(body), ['code']);
  return typeof code === 'string' ? code : undefined;
}
