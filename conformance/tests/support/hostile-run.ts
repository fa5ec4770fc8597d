import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { allChecks } from '../../checks/index.ts';
import type { Driver } from '../../drivers/driver.ts';
import type { Report } from '../../run/report.ts';
import { runConformance } from '../../run/run-conformance.ts';
import { listen } from './loopback.ts';

/** Text with which a hostile target tries to run a script in a report, to break out of its place, or to forge content. */
export const hostileText = [
  '</script><script>window.ran = 1</script><img src="https://evil.example/x.png" onerror="window.ran = 1">',
  '"\' onmouseover="window.ran = 1" style="position:fixed;inset:0" x=\'</pre></details></body>',
  ']]></failure><testcase name="forged"/><!--',
  '\n```\n````\n# forged\n| a | b |\n<script>window.ran = 1</script>\n@somebody [link](javascript:window.ran=1)',
  '\u202egnp.exe\u2066 \u0000 \u001b[2J\u001b]8;;https://evil.example\u0007 \u2028 \ud800 \uffff \u0085',
  `Z${'\u0301'.repeat(40)} ${'W'.repeat(3000)}`,
].join(' ');

/** The report of a run against a target that creates orders rightly and then puts hostile text into every answer. */
export async function hostileReport(): Promise<Report> {
  const moved = new Set<string>();
  const server = createServer(async (request, response) => {
    // The run breaks off a request whose answer it does not wait for any more.
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const id = request.url?.split('/').at(-1) ?? '';
    const [, sent] = /"merchantOrderId":"([^"]+)"/.exec(body) ?? [];
    if (moved.has(id)) return answer(response, { status: hostileText, [hostileText]: hostileText });
    return answer(response, { status: 'INIT', orderId: sent ?? id, echoed: `${hostileText} ${body}` });
  });
  function answer(response: ServerResponse, data: object): void {
    response.setHeader('content-type', 'application/json');
    response.setHeader('x-hostile', '</script><img src=x onerror=window.ran=1>');
    response.end(JSON.stringify({ code: '00000', message: hostileText, data }));
  }
  let merchants = 0;
  const driver: Driver = {
    provisionMerchant: async () => {
      merchants += 1;
      return { merchantId: `M-${merchants}`, apiKey: 'key-of-hostile', apiSecret: 'secret-of-hostile' };
    },
    orderEvent: async (_merchant, orderId) => {
      moved.add(orderId);
      return { done: true };
    },
  };
  const { port, close } = await listen(server);
  try {
    // Some of each verdict, and none with many exchanges: they would make the page large, and show nothing more.
    const checks = allChecks.filter(({ id }) =>
      /^(orders\.state\.(init|processing\.expired)|orders\.query\.(by|like|unknown|other|declared|echo|presence)|orders\.create\.expiresAt\.(type|required)|auth\.signed)/.test(
        id,
      ),
    );
    const run = { target: `http://127.0.0.1:${port}`, driver, checks, settle: 100, webhookWait: 100, seed: 1 };
    return (await runConformance({ ...run, concurrency: 16 })).report;
  } finally {
    await close();
  }
}
