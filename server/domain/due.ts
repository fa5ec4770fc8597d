/** Whether time moves an order or a refund at business time `now` (milliseconds). It moves when it is due, and not after it. */
export function isDue({ dueAt }: { readonly dueAt: number | null }, now: number): boolean {
  return dueAt !== null && dueAt <= now;
}
