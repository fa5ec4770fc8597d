/**
 * The yardstick: the same requests, the same rows and the same answers, made only with Express, HMAC and the database's
 * own driver. Each request runs two statements: one finds the secret of the key, the other reads or writes the order.
 * The yardstick checks nothing else in a request and logs nothing.
 * Environment: BENCH_PORT, and BENCH_DATABASE (a file that has the schema, or postgres://…).
 */
import express, { type Request, type RequestHandler } from 'express';
import Libsql from 'libsql';
import pg from 'pg';
import { ordersMachine, referenceChoices } from '../../generated/catalogue.ts';
import { newHostedOrder } from '../domain/order.ts';
import { randomIds } from '../services/ids.ts';
import { equalInConstantTime, sign } from '../signing/request-signature.ts';
import { splitTarget } from '../signing/request-target.ts';
import { fromOrder, toOrder } from '../storage/rows.ts';
import type { ApiKeysTable, OrdersTable } from '../storage/schema.ts';
import { success } from '../views/envelope.ts';
import { orderViews } from '../views/order.ts';

type KeyRow = Pick<ApiKeysTable, 'merchant_id' | 'api_secret'>;
type OrderRow = Pick<OrdersTable, 'document'>;

/** The statements. Each is prepared once. */
interface Statements {
  findKey(apiKey: string): Promise<KeyRow | undefined>;
  findOrder(merchantId: string, merchantOrderId: string): Promise<OrderRow | undefined>;
  insertOrder(row: OrdersTable): Promise<unknown>;
}

const columns = ['order_id', 'product', 'merchant_id', 'merchant_order_id', 'status', 'due_at', 'document'] as const;

const { BENCH_PORT = '0', BENCH_DATABASE = '' } = process.env;
const checkoutUrl = `http://127.0.0.1:${BENCH_PORT}/checkout`;
const orderView = orderViews({ checkoutUrl, choices: referenceChoices });
const statements = BENCH_DATABASE.startsWith('postgres:') ? onPostgres() : onSqlite();

const app = express();
app.disable('x-powered-by');
app.set('etag', false);
app.use(express.raw({ type: () => true }));

/** Answers a merchant's request with its data: 401 when the signature is wrong, 404 when there is no data. */
const answering =
  (dataOf: (merchantId: string, request: Request) => Promise<object | undefined>): RequestHandler =>
  async (request, response) => {
    const key = await statements.findKey(request.get('x-api-key') ?? '');
    const body: Buffer = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const timestamp = request.get('x-timestamp') ?? '';
    const signed = { ...splitTarget(request.originalUrl), method: request.method, timestamp, body };
    if (!key || !equalInConstantTime(request.get('x-signature') ?? '', sign(signed, key.api_secret))) {
      response.status(401).end();
      return;
    }
    const data = await dataOf(key.merchant_id, request);
    if (data) response.json({ ...success, data });
    else response.status(404).end();
  };

app.post(
  '/api/v1/merchants/:merchantId/orders',
  answering(async (merchantId, request) => {
    const input = {
      request: JSON.parse(request.body.toString()),
      usdRate: '1',
      now: Date.now(),
      machine: ordersMachine,
    };
    const order = newHostedOrder({ orderId: randomIds.orderId(), merchantId, ...input });
    await statements.insertOrder(fromOrder(order));
    return orderView(order);
  }),
);
app.get(
  '/api/v1/merchants/:merchantId/orders/:merchantOrderId',
  answering(async (merchantId, { params }) => {
    const row = await statements.findOrder(merchantId, String(params.merchantOrderId));
    const order = row && toOrder(row);
    return order?.product === 'hosted' ? orderView(order) : undefined;
  }),
);
app.listen(Number(BENCH_PORT), '127.0.0.1');

function onSqlite(): Statements {
  const database = new Libsql(BENCH_DATABASE);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  const { findKey, findOrder, insertOrder } = sql(() => '?');
  const [key, order, insert] = [database.prepare(findKey), database.prepare(findOrder), database.prepare(insertOrder)];
  return {
    findKey: async (apiKey) => {
      const row: unknown = key.get(apiKey);
      return row as KeyRow | undefined;
    },
    findOrder: async (...id) => {
      const row: unknown = order.get('hosted', ...id);
      return row as OrderRow | undefined;
    },
    insertOrder: async (row) => insert.run(valuesOf(row)),
  };
}

function onPostgres(): Statements {
  const pool = new pg.Pool({ connectionString: BENCH_DATABASE, max: 20 });
  const { findKey, findOrder, insertOrder } = sql((number) => `$${number}`);
  return {
    findKey: async (apiKey) => {
      const { rows } = await pool.query<KeyRow>({ name: 'key', text: findKey, values: [apiKey] });
      return rows[0];
    },
    findOrder: async (...id) => {
      const { rows } = await pool.query<OrderRow>({ name: 'order', text: findOrder, values: ['hosted', ...id] });
      return rows[0];
    },
    insertOrder: (row) => pool.query({ name: 'insert', text: insertOrder, values: valuesOf(row) }),
  };
}

function valuesOf(row: OrdersTable) {
  return columns.map((column) => row[column]);
}

function sql(parameter: (number: number) => string) {
  const parameters = columns.map((_column, index) => parameter(index + 1)).join(', ');
  return {
    findKey: `select merchant_id, api_secret from api_keys where api_key = ${parameter(1)}`,
    findOrder:
      `select document from orders where product = ${parameter(1)} and merchant_id = ${parameter(2)} ` +
      `and merchant_order_id = ${parameter(3)}`,
    insertOrder:
      `insert into orders (${columns.join(', ')}) values (${parameters}) ` +
      'on conflict (product, merchant_id, merchant_order_id) do nothing',
  };
}
