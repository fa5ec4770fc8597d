import type { Requirement } from '../../../generated/catalogue.ts';
import type { OpenPointId, RequirementId } from '../../../generated/catalogue-ids.ts';
import { createCheckoutOrder } from '../../arrange/checkout-orders/operations.ts';
import { createOrder } from '../../arrange/orders/operations.ts';
import { isRefusedSplit, noSubMerchants, splitInTwo } from '../../arrange/orders/orders.ts';
import { batchQueryRefunds, createRefund } from '../../arrange/refunds/operations.ts';
import type { ArrangedOperation, PreparedRequest } from '../../arrange/requests/arranged-operation.ts';
import { fieldsAround } from '../../arrange/requests/further-fields.ts';
import { sharedAnswer } from '../../arrange/requests/shared-answers.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import { everyWay, type WayToSend } from '../../arrange/requests/ways-to-send.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectRefused, isAccepted, needAccepted } from '../../check/expect.ts';
import { isObject, type JsonObject, setAt, valueAt } from '../../contract/json.ts';
import { schemaFaults } from '../../contract/schema.ts';
import { show } from '../../contract/show.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { besideEveryField, placesOf, probedBody, withFreeItem, withMatchingTotal } from '../../values/bodies.ts';
import {
  type ClassedValue,
  classedValues,
  fullestExample,
  isRequired,
  type ProbedConstraint,
  probedConstraints,
  requirementOf,
} from '../../values/classed-values.ts';
import { printed } from '../../values/printed.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { brokenRule } from '../support/broken-rules.ts';
import { expectNoFailure } from '../support/failures.ts';
import { type ExpectRuleRefusal, expectRuleRefusal, invalidParameter } from '../support/rule-refusals.ts';

/** An operation whose request bodies are probed. */
interface ProbedOperation {
  operation: ArrangedOperation;
  /** The requirement that a refused request has no effect; absent: the operation makes nothing. */
  refused?: RequirementId;
  /** The currency of bodies with every field, where another one than that of right requests is taken too. */
  otherCurrency?: string;
  /** Fields that a target need not take, with what they need beside them: a wrong value is refused beside them as well. */
  further?: JsonObject;
  /** Makes the other fields of a body fit the probed one, so that a probe breaks nothing but its own rule. */
  adjust?: (body: unknown) => unknown;
  /** Fails unless a refusal has the status or code that the area demands for a broken rule of the field at `path`. */
  expectRefusal?: ExpectRuleRefusal | undefined;
}

const probedOperations: readonly ProbedOperation[] = [
  {
    operation: createOrder,
    refused: 'orders.errors.refused',
    otherCurrency: 'USD',
    further: splitInTwo,
    adjust: withMatchingTotal,
  },
  {
    operation: createRefund,
    refused: 'refunds.errors.refused',
    expectRefusal: expectRuleRefusal.refunds,
  },
  { operation: batchQueryRefunds },
  {
    operation: createCheckoutOrder,
    refused: 'checkout.errors.refused',
    expectRefusal: expectRuleRefusal.checkout,
  },
];

/**
 * What stands around a probed field: the fields of a right request, every field there is, some chosen ones, sub-merchants, or the price in the other
 * currency.
 */
type Surroundings =
  | 'alone'
  | 'beside every other field'
  | 'beside other fields'
  | 'beside sub-merchants'
  | 'in the other currency';

/** A value of a field, as it was sent. */
interface SentValue extends ClassedValue {
  /** The field and the value in words. */
  what: string;
  answer: Answer;
  /** A query for the record that the request would have made; absent: no query was sent. */
  found?: Answer;
  /** The answer to the same request sent again; absent: it was sent once. */
  again?: Answer;
}

/** How a value is sent. `isFirst`: it is the first of its class. */
interface Sending {
  place: readonly string[];
  isFirst: boolean;
  surroundings: Surroundings;
  /** The chosen fields that stand around it, in place of those of a right request. */
  around?: JsonObject;
  way?: WayToSend;
  isRepeated?: boolean;
}

/** The check of one constraint: it sends a right request first, and then the same with one field changed, in the values of every class, the first wrong one twice. */
function constraintCheck(probed: ProbedConstraint, { operation, ...area }: ProbedOperation): CheckDeclaration {
  const { constraint, schema, example } = probed;
  const { id, path } = constraint;
  const requirement = requirementOf(constraint);
  const { adjust = (body) => body, refused, otherCurrency, further, expectRefusal } = area;
  const { level, openPoint } = requirement;
  const name = path.filter((segment) => segment !== '*').join('.') || 'the body';
  const broken = brokenRule(constraint);
  /** A request that may be accepted uses up the paid order that it names. */
  const usesUpOrders = operation.needs.includes('paid-order') && refused !== undefined;

  const prepare = async (context: CheckContext) => operation.prepare(context, await context.merchant());
  const isNeeded = (place: readonly string[]) => isRequired({ operation: operation.name, path: place });
  const bodyOf = ({ body }: PreparedRequest) => probedBody(body ?? {}, example, path, isNeeded);
  const hasFreeItem = path[0] === 'items';
  const fullBodyOf = (prepared: PreparedRequest) => {
    const full = besideEveryField(bodyOf(prepared), fullestExample(operation.name), otherCurrency);
    return hasFreeItem ? withFreeItem(full) : full;
  };
  const bodyIn: Readonly<Record<Surroundings, (prepared: PreparedRequest) => unknown>> = {
    alone: bodyOf,
    'beside every other field': fullBodyOf,
    'beside other fields': bodyOf,
    'beside sub-merchants': (prepared) => ({ ...bodyOf(prepared), ...further }),
    'in the other currency': (prepared) => setAt(bodyOf(prepared), ['orderAmount', 'currency'], otherCurrency),
  };
  /** Whether a right value is right in the other currency too. */
  const isAmount = /^(orderAmount\.value|subMerchants\.\*\.amount)$/.test(path.join('.'));
  /** Where the first right value of each class stands beside the body of a right request. */
  const furtherOfRight: readonly Surroundings[] =
    isAmount && otherCurrency !== undefined ? ['in the other currency'] : [];

  /** The answer to a right request of the same shape, which all checks of fields of this shape share. */
  function twinAnswer(context: CheckContext): Promise<Answer> {
    const [top] = path;
    const shape = top === undefined || isRequired({ operation: operation.name, path: [top] }) ? 'required fields' : top;
    return sharedAnswer(context, `${operation.name} with ${shape}`, async () => {
      const prepared = await prepare(context);
      const { client, request, twin } = prepared;
      return twin ? twin.answer : client.post(request.path, adjust(bodyOf(prepared)));
    });
  }

  /**
   * Whether there are fields beside those of a right request, and a request with all of them is accepted, so that a wrong value may stand in it.
   * Where such a request would use up a paid order, it is taken to be accepted.
   */
  async function takesEveryField(context: CheckContext, right: PreparedRequest): Promise<boolean> {
    if (Object.keys(fullBodyOf(right)).length === Object.keys(bodyOf(right)).length) return false;
    if (usesUpOrders) return true;
    const more = path[0] === 'subMerchants' ? ' and sub-merchants' : hasFreeItem ? ' and a free item' : '';
    const shape = `every field${more}`;
    const answer = await sharedAnswer(context, `${operation.name} with ${shape}`, async () => {
      const prepared = await prepare(context);
      return prepared.client.post(prepared.request.path, adjust(fullBodyOf(prepared)));
    });
    return isAccepted(answer);
  }

  /** Sends a request with a value at a place. A query follows for the first value of a class that must be refused. */
  async function send(
    context: CheckContext,
    prepared: PreparedRequest,
    { value, ...classed }: ClassedValue,
    { place, isFirst, isRepeated = false, surroundings, around, way }: Sending,
  ): Promise<SentValue> {
    const { client, request, makes } = prepared;
    const body = bodyIn[surroundings](prepared);
    const named = makes ? setAt(body, [makes.id], context.newOrderId()) : body;
    const right = around ? { ...Object(named), ...around } : named;
    // Beside sub-merchants, the right total stays what a wrong one is compared with.
    const sent =
      surroundings === 'beside sub-merchants' ? setAt(right, place, value) : adjust(setAt(right, place, value));
    const sentId = makes && valueAt(sent, [makes.id]);
    const isNew = classed.expected === 'accepted' || usesUpOrders || path[0] === makes?.id || around !== undefined;
    const post = () => client.post(request.path, sent, way && { way });
    const key = `${operation.name} ${place.join('.')} = ${JSON.stringify(value)}, ${surroundings}`;
    const answer = await (isNew ? post() : sharedAnswer(context, key, post));
    const field = inWords(place);
    const said = value === undefined ? `a request without ${field}` : `${field} = ${printed(value)}`;
    const where = surroundings === 'alone' ? '' : `, ${surroundings}`;
    const what = `${value === undefined ? said : `${said} (${classed.valueClass.title})`}${where}`;
    const asks = isFirst && classed.expected === 'refused' && typeof sentId === 'string' && sentId !== '';
    const found = asks && makes ? await makes.find(sentId) : undefined;
    const again = isRepeated && !isAccepted(answer) ? await post() : undefined;
    return { ...classed, value, what, answer, ...(found && { found }), ...(again && { again }) };
  }

  /** Sends every value, those that must be refused side by side. */
  async function sendAll(
    context: CheckContext,
    first: PreparedRequest,
    values: readonly ClassedValue[],
  ): Promise<SentValue[]> {
    let prepared = first;
    const seen = new Set<string>();
    const full = path.length > 0 && (await takesEveryField(context, first));
    let turn = 0;
    const right = bodyOf(first);
    let besideSplit = 0;
    /** Whether a wrong value is sent beside sub-merchants too: each class of an absent value, and the first value of another rule. */
    const isBesideSplit = ({ openPoint: point }: ClassedValue) => {
      if (further === undefined || path.length === 0 || path[0] === 'subMerchants' || point !== undefined) return false;
      besideSplit += 1;
      return constraint.keyword === 'required' || besideSplit === 1;
    };
    const repeated = values.find(({ expected }) => expected === 'refused');
    const requests = values.flatMap((classed) => {
      const isFirst = !seen.has(classed.valueClass.id);
      seen.add(classed.valueClass.id);
      // The first value of each class stands in the later entries of a list too.
      const places = placesOf(right, path);
      const used = isFirst && classed.expected !== 'free' ? places : places.slice(0, 1);
      return used.flatMap((place, index) => {
        const isFirstPlace = isFirst && index === 0;
        const isRepeated = classed === repeated && index === 0;
        const alone: Sending & { classed: ClassedValue } = {
          classed,
          place,
          isFirst: isFirstPlace,
          isRepeated,
          surroundings: 'alone',
        };
        const elsewhere = (surroundings: Surroundings): typeof alone => ({
          ...alone,
          isFirst: false,
          isRepeated: false,
          surroundings,
        });
        if (classed.expected === 'accepted' && isFirstPlace) return [alone, ...furtherOfRight.map(elsewhere)];
        if (classed.expected !== 'refused') return [alone];
        const split = isFirstPlace && isBesideSplit(classed) ? [elsewhere('beside sub-merchants')] : [];
        // A rule may be held only beside other fields, or only where there are none: the first value of a class is sent in all of these, others in turn.
        const everywhere = [alone, ...(full ? [elsewhere('beside every other field')] : [])];
        if (path.length > 0 && refused !== undefined) {
          const { [path[0] ?? '']: _probed, ...around } = fieldsAround(context, operation.name, right.expiresAt);
          // What chosen fields show must not be taken for an answer at an open point.
          const { openPoint: _openPoint, ...bound } = classed;
          const beside = { ...elsewhere('beside other fields'), classed: bound };
          everywhere.push({ ...beside, around, way: context.choose(everyWay) });
        }
        turn += 1;
        return isFirstPlace ? [...everywhere, ...split] : [everywhere[turn % everywhere.length] ?? alone];
      });
    });
    if (!usesUpOrders) {
      return someAtOnce(requests, ({ classed, ...how }) => send(context, prepared, classed, how));
    }
    const wrong = requests.filter(({ classed }) => classed.expected === 'refused');
    const sent = await someAtOnce(wrong, ({ classed, ...how }) => send(context, prepared, classed, how));
    if (!context.has('order-events')) return sent;
    for (const { classed, place } of requests.filter((each) => !wrong.includes(each))) {
      const each = await send(context, prepared, classed, { place, isFirst: false, surroundings: 'alone' });
      sent.push(each);
      if (isAccepted(each.answer)) prepared = await prepare(context);
    }
    return sent;
  }

  function judge(
    context: CheckContext,
    { what, answer, found, again, expected, value, ...classed }: SentValue,
    right: unknown,
  ) {
    if (expected === 'accepted') return expectAccepted(answer, `${what}, which keeps the rule`);
    if (classed.openPoint) {
      const { openPoint: point } = classed;
      const seen = `${what}: HTTP ${answer.status}, code ${show(field(answer, 'code'))}`;
      const isTelling = isTellingAt(point, { constraint, schema }, right, value);
      context.observeIn(answer, point, seen, isTelling ? registerValue(point, answer, requirement) : undefined);
    }
    if (expected === 'free') return;
    expectRefused(answer, what);
    // With which codes hosted orders are refused is open (open point `orders-error-codes`). Their HTTP status is judged in every answer.
    if (operation.area !== 'orders') expectNoFailure(answer, what);
    expectRefusal?.(answer, what, requirement, path);
    if (again) expectRefused(again, `${what}, sent again`);
    // An answer that shows nothing finds nothing, whatever it says of itself.
    if (found && refused && isObject(field(found, 'data')))
      expectRefused(found, `a query for what was refused (${what})`, refused);
  }

  return {
    id,
    title: level === 'MAY' ? `What is answered to ${broken}` : `${broken.replace(/^a(?=n? )/, 'A')} is refused`,
    requirements: level === 'MUST' && refused ? [requirement.id, refused] : [requirement.id],
    ...(openPoint && { openPoint }),
    // A request that may be accepted must not use up one of the few configured paid orders.
    needs: level !== 'MUST' && usesUpOrders ? ['order-events'] : operation.needs,
    // Each value that may be accepted has a paid order made for it before, and a pattern has the most values that break it.
    ...(((level !== 'MUST' && usesUpOrders) || constraint.keyword === 'pattern') && { long: true as const }),
    async run(context) {
      const accepted = await twinAnswer(context);
      if (path[0] === 'subMerchants' && isRefusedSplit(accepted)) {
        const { client, request } = await prepare(context);
        needAccepted(await client.send(request), 'the same create without subMerchants');
        throw new PermittedChoice(noSubMerchants);
      }
      needAccepted(accepted, `the same request with a right ${name}`);
      const prepared = await prepare(context);
      const right = bodyOf(prepared);
      const sent = await sendAll(context, prepared, classedValues({ constraint, schema }, right, context.random));
      // A value that is accepted is the fault itself, and explains what another request under the same id shows.
      const isTaken = ({ answer, expected }: SentValue) => expected === 'refused' && isAccepted(answer);
      for (const each of [...sent.filter(isTaken), ...sent]) judge(context, each, right);
    },
  };
}

/** A place in a body, such as `items[1].quantity`. */
const inWords = (place: readonly string[]) =>
  place.map((step, index) => (/^[0-9]+$/.test(step) ? `[${step}]` : `${index > 0 ? '.' : ''}${step}`)).join('') ||
  'the body';

/**
 * Whether the answer to a value of another type shows if the target reads field types strictly: only where the field may be
 * left out and the same value as text would fit, and the contract does not allow the value itself. Elsewhere the value may be
 * refused for another reason.
 */
function showsFieldForms(
  { constraint, schema }: Omit<ProbedConstraint, 'example'>,
  twin: unknown,
  value: unknown,
): boolean {
  const { keyword, path } = constraint;
  if (keyword !== 'type' || path.length === 0 || path.at(-1) === '*') return false;
  if (value !== null && typeof value !== 'number') return false;
  const fits = (form: unknown) => schemaFaults(setAt(twin, path, form), schema).length === 0;
  return fits(undefined) && !fits(value) && (value === null || fits(String(value)));
}

/** Whether the answer to a value shows what the target does at an open point. A value that breaks another rule too is refused for that. */
function isTellingAt(
  openPoint: OpenPointId,
  probed: Omit<ProbedConstraint, 'example'>,
  right: unknown,
  value: unknown,
): boolean {
  if (openPoint === 'field-forms') return showsFieldForms(probed, right, value);
  if (openPoint !== 'orders-currency') return true;
  const { constraint, schema } = probed;
  return schemaFaults(setAt(right, constraint.path, value), schema).every(
    ({ keyword }) => keyword === constraint.keyword,
  );
}

/** The value at an open point that the answer to a value beyond a constraint shows; `undefined`: none. */
function registerValue(openPoint: OpenPointId, answer: Answer, { error }: Requirement): string | undefined {
  const taken = isAccepted(answer);
  if (openPoint === 'field-forms') return taken ? 'lenient' : 'strict';
  if (openPoint === 'request-bounds') return taken ? 'unbounded' : 'bounded';
  if (openPoint === 'orders-metadata-json') return taken ? 'accepted' : 'refused';
  if (openPoint === 'orders-currency') return show(field(answer, 'code'));
  // A value that breaks a form has no row of its own in the table of codes.
  if (openPoint === 'checkout-overlapping-codes' && error !== undefined) {
    return field(answer, 'code') === invalidParameter ? 'invalid-parameter' : 'own-row';
  }
  return undefined;
}

/** One check for each constraint of the contract on the body of a request, derived from the contract alone. */
export const fieldRuleChecks: readonly CheckDeclaration[] = probedOperations.flatMap((probed) =>
  probedConstraints(probed.operation.name).map((constraint) => constraintCheck(constraint, probed)),
);
