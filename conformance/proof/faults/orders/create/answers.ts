import { isObject } from '../../../../contract/json.ts';
import { successCode } from '../../../../contract/success-code.ts';
import { answering, answeringJson, bodyOf, isHostedCreate, showing, storing } from '../../../stand/changes.ts';
import type { Fault } from '../../../stand/fault.ts';

/** Wrong servers that answer the create of a hosted order in another form or state, or keep nothing of it. */
export const orderCreateAnswerFaults: readonly Fault[] = [
  {
    id: 'create-not-stored',
    title: 'Answers a create as it should, and keeps nothing.',
    breaks: 'orders.query.by-merchant-order-id',
    caughtBy: 'orders.create.minimal',
    make: { parts: storing(() => ({ insertOrder: async () => true })) },
  },
  {
    id: 'success-code-200',
    title: 'Answers what it has done with code 200.',
    breaks: 'general.success-code',
    caughtBy: 'orders.create.minimal',
    make: {
      merchantApi: answeringJson((envelope) =>
        envelope.code === successCode ? { ...envelope, code: '200' } : envelope,
      ),
    },
  },
  {
    id: 'success-code-number',
    title: 'Answers what it has done with the number 0 as its code.',
    breaks: 'general.success-code',
    caughtBy: 'orders.create.minimal',
    make: {
      merchantApi: answeringJson((envelope) => (envelope.code === successCode ? { ...envelope, code: 0 } : envelope)),
    },
  },
  {
    id: 'starts-in-processing',
    title: 'Makes orders that are being processed before anybody has paid.',
    breaks: 'orders.states.initial',
    caughtBy: 'orders.create.initial-state',
    make: {
      parts: (parts) => ({
        ...parts,
        states: { ...parts.states, orders: { ...parts.states.orders, initial: 'PROCESSING' } },
      }),
    },
  },
  {
    id: 'stays-pending',
    title: 'Shows a new order as PENDING whenever it is asked for.',
    breaks: 'orders.states.initial',
    caughtBy: 'orders.create.initial-state',
    make: { merchantApi: showing((view) => (view.status === 'INIT' ? { ...view, status: 'PENDING' } : view)) },
  },
  {
    id: 'create-answers-pending',
    title: 'Answers a create with PENDING, and queries with INIT.',
    breaks: 'orders.create.pending-example',
    caughtBy: 'orders.create.answers-init',
    make: {
      merchantApi: showing((view, request) => (isHostedCreate(request) ? { ...view, status: 'PENDING' } : view)),
    },
  },
  {
    id: 'create-answer-abbreviated',
    title: 'Answers a create with orderId, checkoutUrl and status only.',
    breaks: 'orders.view.fields',
    caughtBy: 'orders.create.success-envelope',
    make: {
      merchantApi: showing(({ orderId, checkoutUrl, status, ...view }, request) =>
        isHostedCreate(request) ? { orderId, checkoutUrl, status } : { orderId, checkoutUrl, status, ...view },
      ),
    },
  },
  {
    id: 'success-without-message',
    title: 'Leaves out the message when all went well.',
    breaks: 'orders.envelope.success',
    caughtBy: 'orders.create.success-envelope',
    make: {
      merchantApi: answeringJson(({ message, ...rest }) => (rest.code === successCode ? rest : { message, ...rest })),
    },
  },
  {
    id: 'success-without-data',
    title: 'Answers a create with code and message only.',
    breaks: 'orders.envelope.success',
    caughtBy: 'orders.create.success-envelope',
    make: {
      merchantApi: answeringJson(({ data, ...rest }, request) =>
        rest.code === successCode && isHostedCreate(request) ? rest : { ...rest, data },
      ),
    },
  },
  {
    id: 'view-beside-code',
    title: "Writes the order's fields beside code and message, not under data.",
    breaks: 'orders.envelope.success',
    caughtBy: 'orders.create.success-envelope',
    make: {
      merchantApi: answeringJson(({ data, ...rest }) =>
        rest.code === successCode && isObject(data) ? { ...data, ...rest } : { ...rest, data },
      ),
    },
  },
  {
    id: 'create-http-201',
    title: 'Answers a create with HTTP 201.',
    breaks: 'orders.http-200',
    caughtBy: 'orders.errors.http-200',
    make: {
      merchantApi: answering((answer, request) =>
        isHostedCreate(request) && bodyOf(answer)?.code === successCode ? { ...answer, status: 201 } : answer,
      ),
    },
  },
];
