// Receives webhooks, with only Node: npx --no-install tsx webhooks.ts [PORT]
//
// From the environment: ASSAY_API_SECRET. Hosted orders need an HTTPS address, so put a TLS proxy in front of this.
import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { signatureOf } from './signature.ts';

const { ASSAY_API_SECRET = '' } = process.env;

// #region verify
/** Whether a webhook is genuine and recent. `path` and `body` must be exactly as received. */
function isVerified(headers: IncomingHttpHeaders, path: string, body: Uint8Array): boolean {
  const { 'x-timestamp': timestamp, 'x-signature': signature } = headers;
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return false;
  if (!/^[0-9]{13}$/.test(timestamp) || Math.abs(Date.now() - Number(timestamp)) > 5 * 60_000) return false;
  // The line `webhook` comes first: it tells the signature of a webhook from that of a request.
  const signed = { timestamp: `webhook\n${timestamp}`, method: 'POST', path, body };
  const right = Buffer.from(signatureOf(signed, ASSAY_API_SECRET));
  // There are several signatures while you change keys.
  const given = signature.split(' ').map((each) => Buffer.from(each));
  return given.some((each) => each.length === right.length && timingSafeEqual(each, right));
}
// #endregion verify

// #region receive
/** The highest sequence handled for each order and refund. In your own program, keep it in the database. */
const handled = new Map<string, number>();

const server = createServer(async (request, response) => {
  const body = await buffer(request);
  const [path = ''] = (request.url ?? '').split('?');
  if (!isVerified(request.headers, path, body)) {
    console.log('not verified');
    response.writeHead(401).end();
    return;
  }
  const event = JSON.parse(body.toString());
  const id: string = event.refundOrderId ?? event.acquiringOrderId;
  if (event.sequence > (handled.get(id) ?? 0)) {
    handled.set(id, event.sequence);
    console.log(`handled ${id} ${event.status}`); // Only queue the work here; do it after the answer.
  } else {
    console.log(`repeated or late ${id} ${event.status}`);
  }
  response.writeHead(200).end();
});
// #endregion receive

const port = Number(process.argv[2] ?? 8090); // 0 means any free port
server.listen(port, '127.0.0.1', () => console.log('listening', JSON.stringify(server.address())));
