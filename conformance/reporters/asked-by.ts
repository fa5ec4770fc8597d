import type { CheckReport } from '../run/report.ts';

/** The ids of the other checks that sent the requests of this one. The runner names the sender in each User-Agent. */
export function askedBy({ id, exchanges }: Pick<CheckReport, 'id' | 'exchanges'>): string[] {
  const senders = exchanges.flatMap(({ request }) => {
    const sender = /^assay \(run [^;]*; check ([^)]+)\)$/.exec(request.headers['User-Agent'] ?? '')?.[1];
    return sender === undefined || sender === id ? [] : [sender];
  });
  return [...new Set(senders)];
}
