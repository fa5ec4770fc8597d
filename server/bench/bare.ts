/**
 * The yardstick: the same requests, the same rows and the same answers, with nothing but Express, HMAC and one statement on
 * the database's own driver. There is one merchant, whose key is in memory; nothing of a request is looked at.
 * Environment: BENCH_PORT, BENCH_DATABASE (a file that has the schema, or postgres://…) and BENCH_MERCHANT (JSON).
 */
import express from 'express';
import Libsql from 'libsql';
import pg from 'pg';
import { ordersMachine } from '../../generated/catalogue.ts';
import { newHostedOrder } from '../domain/order.ts';
import { splitTarget } from '../http/request-target.ts';
import { equalInConstantTime, sign } from '../http/signature.ts';
import { randomIds } from '../services/ids.ts';
import { orderView, success } from '../services/order-view.ts';
import { fromOrder, toOrder } from '../storage/rows.ts';
import type { OrdersTable } from '../storage/schema.ts';
import type { Credentials } from '../testing/signing.ts';

const columns = ['order_id', 'product', 'merchant_id', 'merchant_order_id', 'status', 'due_at', 'document'] as const;

const { BENCH_PORT = '0', BENCH_DATABASE = '', BENCH_MERCHANT = '{}' } = process.env;
const { merchantId, apiSecret }: Credentials = JSON.parse(BENCH_MERCHANT);
const checkoutUrl = `http://127.0.0.1:${BENCH_PORT}/checkout`;
const orders = BENCH_DATABASE.startsWith('postgres:') ? onPostgres() : onSqlite();

const app = express();
app.disable('x-powered-by');
app.set('etag', false);
app.use(express.raw({ type: () => true }));
app.use((request, response, next) => {
  const body: Buffer = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const timestamp = request.get('x-timestamp') ?? '';
  const signed = { ...splitTarget(request.originalUrl), method: request.method, timestamp, body };
  if (equalInConstantTime(request.get('x-signature') ?? '', sign(signed, apiSecret))) next();
  else response.status(401).end();
});
app.post('/api/v1/merchants/:merchantId/orders', async (request, response) => {
  const input = { request: JSON.parse(request.body.toString()), usdRate: '1', now: Date.now(), machine: ordersMachine };
  const order = newHostedOrder({ orderId: randomIds.orderId(), merchantId, ...input });
  await orders.insert(fromOrder(order));
  response.json({ ...success, data: orderView(order, checkoutUrl) });
});
app.get('/api/v1/merchants/:merchantId/orders/:merchantOrderId', async (request, response) => {
  const row = await orders.find(request.params.merchantOrderId);
  const order = row && toOrder(row);
  if (order?.product === 'hosted') response.json({ ...success, data: orderView(order, checkoutUrl) });
  else response.status(404).end();
});
app.listen(Number(BENCH_PORT), '127.0.0.1');

interface Orders {
  insert(row: OrdersTable): Promise<unknown> | unknown;
  find(merchantOrderId: string): Promise<Pick<OrdersTable, 'document'> | undefined>;
}

function onSqlite(): Orders {
  const database = new Libsql(BENCH_DATABASE);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  const { insert, find } = statements(() => '?');
  const [inserting, finding] = [database.prepare(insert), database.prepare(find)];
  return {
    insert: (row) => inserting.run(valuesOf(row)),
    find: async (id) => {
      const row: unknown = finding.get('hosted', merchantId, id);
      return row as Pick<OrdersTable, 'document'> | undefined;
    },
  };
}

function onPostgres(): Orders {
  const pool = new pg.Pool({ connectionString: BENCH_DATABASE, max: 20 });
  const { insert, find } = statements((number) => `$${number}`);
  return {
    insert: (row) => pool.query({ name: 'insert', text: insert, values: valuesOf(row) }),
    find: async (id) => {
      const { rows } = await pool.query<OrdersTable>({ name: 'find', text: find, values: ['hosted', merchantId, id] });
      return rows[0];
    },
  };
}

function valuesOf(row: OrdersTable) {
  return columns.map((column) => row[column]);
}

function statements(parameter: (number: number) => string) {
  const parameters = columns.map((_column, index) => parameter(index + 1)).join(', ');
  return {
    insert:
      `insert into orders (${columns.join(', ')}) values (${parameters}) ` +
      'on conflict (product, merchant_id, merchant_order_id) do nothing',
    find:
      `select document from orders where product = ${parameter(1)} and merchant_id = ${parameter(2)} ` +
      `and merchant_order_id = ${parameter(3)}`,
  };
}
