import { type OrdersEvent, type OrdersState, ordersMachine, type RequirementId } from '../../generated/catalogue.ts';
import type { Check, Need } from '../check.ts';
import type { CheckContext } from '../context.ts';
import type { OrderStep, StepOutcome } from '../drivers/driver.ts';
import { type Answer, field } from '../exchange.ts';
import { expectField, expectThat, show } from '../expect.ts';
import { type MadeOrder, makeOrderIn, passExpiry } from '../orders.ts';

type Transition = (typeof ordersMachine.transitions)[number];

const states = Object.keys(ordersMachine.states) as OrdersState[];
const { events, transitions } = ordersMachine;
const isFinal = (state: OrdersState) => ordersMachine.states[state].final;

/** What is paid in a transition that depends on the amount; the contract's own amount is due otherwise. */
const amounts: Readonly<Record<NonNullable<Transition['when']>, string>> = { paidInFull: '9.50', underpaid: '9.49' };

/** Lets `event` happen to the order: through the driver, or by letting its time run out. */
async function happen(context: CheckContext, order: MadeOrder, event: OrdersEvent): Promise<StepOutcome> {
  if (event !== 'expired') return context.orderEvent(order.merchant, order.orderId, { type: event });
  await passExpiry(context, order);
  return { done: true };
}

function needs(from: OrdersState, event: OrdersEvent): Need[] {
  if (event !== 'expired') return ['order-events'];
  return from === 'INIT' ? ['clock'] : ['order-events', 'clock'];
}

const slug = (text: string) => text.toLowerCase().replaceAll('_', '-');

/** An order in the state that a move starts from; one whose move depends on the amount has been paid that amount. */
async function orderBefore(context: CheckContext, { from, when }: Transition): Promise<MadeOrder> {
  if (when === undefined) return makeOrderIn(context, from ?? ordersMachine.initial);
  const order = await makeOrderIn(context, 'INIT');
  const step: OrderStep = { type: 'transaction_detected', amount: amounts[when] };
  await context.orderEvent(order.merchant, order.orderId, step);
  return order;
}

/** A move that the table has: it is made, and the view agrees. */
function legalMove(transition: Transition): Check {
  const { from, event, to, when, condition, requirement } = transition;
  const start = from ?? ordersMachine.initial;
  return {
    id: ['orders.state', slug(start), slug(event), ...(when ? [slug(when.replace(/[A-Z]/g, '-$&'))] : [])].join('.'),
    title: `${event} moves an order from ${start} to ${to}${condition ? ` (${condition})` : ''}`,
    level: 'MUST',
    area: 'orders',
    requirements: requirement ? [requirement] : [],
    needs: when ? ['order-events'] : needs(start, event),
    async run(context) {
      const order = await orderBefore(context, transition);
      const outcome = await happen(context, order, event);
      const settled = (each: Answer) => !outcome.done || field(each, 'data.status') === to;
      const answer = await context.poll(order.query, settled);
      const seen = show(field(answer, 'data.status'));
      context.sawTransition({ machine: 'orders', from: start, event, expected: to, seen });
      const refused = outcome.done ? '' : ` (the driver refused ${event}: ${outcome.message})`;
      expectThat(seen === to, answer, { expected: `data.status = ${to}`, actual: `data.status = ${seen}${refused}` });
    },
  };
}

/** What of a view must not change when an event changes nothing. */
const lasting = ['orderId', 'status', 'orderAmount', 'createdAt', 'expiresAt', 'paidAt', 'cryptoPaidAmount'];

/** Lets an event happen that the state has no move for, and expects the order as it was. */
async function expectUnmoved(
  context: CheckContext,
  { order, before, from, event }: { order: MadeOrder; before: Answer; from: OrdersState; event: OrdersEvent },
): Promise<void> {
  await happen(context, order, event);
  const after = await order.query();
  context.sawTransition({ machine: 'orders', from, event, expected: from, seen: show(field(after, 'data.status')) });
  expectField(after, 'data.status', from);
  for (const name of lasting) {
    const [then, now] = [before, after].map((answer) => JSON.stringify(field(answer, `data.${name}`)));
    expectThat(then === now, after, {
      expected: `data.${name} = ${show(then)}, as before ${event}`,
      actual: `data.${name} = ${show(now)}`,
    });
  }
}

/** An event that a state on the way has no move for. */
function illegalMove(from: OrdersState, event: OrdersEvent): Check {
  return {
    id: `orders.state.${slug(from)}.${slug(event)}`,
    title: `${event} leaves an order in ${from} as it is`,
    level: 'MUST',
    area: 'orders',
    requirements: ['orders.states.no-other-moves'],
    needs: needs(from, event),
    async run(context) {
      const order = await makeOrderIn(context, from);
      await expectUnmoved(context, { order, before: await order.query(), from, event });
    },
  };
}

/** A final state, under every event there is. */
function finalState(state: OrdersState): Check {
  const requirements: RequirementId[] = ['orders.states.final', 'orders.states.no-other-moves'];
  return {
    id: `orders.state.${slug(state)}-is-final`,
    title: `A ${slug(state)} order never moves again`,
    level: 'MUST',
    area: 'orders',
    requirements,
    needs: ['order-events', 'clock'],
    async run(context) {
      const order = await makeOrderIn(context, state);
      const before = await order.query();
      for (const event of events) await expectUnmoved(context, { order, before, from: state, event });
    },
  };
}

const has = (from: OrdersState, event: OrdersEvent) =>
  transitions.some((each) => each.from === from && each.event === event);

/** The whole grid of states and events, made from the contract's table. */
export const ordersStatesChecks: readonly Check[] = [
  ...transitions.map(legalMove),
  ...states
    .filter((state) => !isFinal(state))
    .flatMap((state) => events.filter((event) => !has(state, event)).map((event) => illegalMove(state, event))),
  ...states.filter(isFinal).map(finalState),
];
