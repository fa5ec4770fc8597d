import type { OperationArea } from '../../contract/operations.ts';
import { decisive } from '../exchange-text.ts';
import { type Asked, fewestCalls, isRefusedCall } from './calls.ts';
import type { Named } from './named.ts';

/** For each area in which refusals with several codes have one HTTP status, this status. */
export function onlyStatusOfRefusals(asked: readonly Asked[]): ReadonlyMap<OperationArea, number> {
  const refusals = asked.flatMap(({ calls }) => calls.filter(isRefusedCall));
  const areas = new Set(refusals.map(({ operation }) => operation.area));
  return new Map(
    [...areas].flatMap((area) => {
      const ofArea = refusals.filter(({ operation }) => operation.area === area);
      const statuses = new Set(ofArea.flatMap(({ exchange: { response } }) => response?.status ?? []));
      const codes = new Set(ofArea.map(({ answer }) => answer));
      const [status] = statuses;
      if (status === undefined || statuses.size > 1 || codes.size === 1 || ofArea.length < fewestCalls) return [];
      return [[area, status] as const];
    }),
  );
}

/** The cause of a check that wants another HTTP status of a refusal, where all refusals of its area have the same one. */
export function statusCause({ check, calls }: Asked, only: ReadonlyMap<OperationArea, number>): Named | undefined {
  const wanted = /\bHTTP (\d+)/.exec(check.expected ?? '')?.[1];
  if (check.verdict !== 'failed' || wanted === undefined) return undefined;
  const shown = decisive(check);
  const call = calls.find(({ exchange }) => exchange === shown) ?? calls.findLast(isRefusedCall);
  const status = call && isRefusedCall(call) ? only.get(call.operation.area) : undefined;
  if (!call || status === undefined || Number(wanted) === status) return undefined;
  const { area } = call.operation;
  const text = `every refusal by the operations of ${thingsOf[area]} has HTTP ${status}, whatever its code`;
  return { key: text, text };
}

/** The names of what the operations of an area are for. */
const thingsOf: Readonly<Record<OperationArea, string>> = {
  orders: 'hosted orders',
  checkout: 'checkout orders',
  refunds: 'refunds',
};
