import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { UsageError } from '../errors/usage-errors.ts';
import schema from './history.schema.json' with { type: 'json' };
import type {
  ClockRecord,
  HandshakeRecord,
  OrderEventRecord,
  ProvisionRecord,
  RefundEventRecord,
  RequestRecord,
  RestartRecord,
  RunRecord,
  WebhookRecord,
} from './records.ts';

/** The first line of a history: the record of the run, and how many lines follow. */
export type RunLine = RunRecord & { records: number };

/** The lines of a history, by the names of their definitions in the schema. */
export interface Lines {
  run: RunLine;
  request: RequestRecord;
  provisionMerchant: ProvisionRecord;
  orderEvent: OrderEventRecord;
  refundEvent: RefundEventRecord;
  restart: RestartRecord;
  clock: ClockRecord;
  webhook: WebhookRecord;
  handshake: HandshakeRecord;
}

export type RecordName = keyof Lines;

let ajv: Ajv2020 | undefined;

/**
 * Makes sure that a record fits its definition in the schema. `place` names the file and the line in the message.
 *
 * @throws UsageError with the field, the rule and the cure, and without any value, which may be a secret
 */
export function expectRecord<Name extends RecordName>(
  record: unknown,
  name: Name,
  place: string,
): asserts record is Lines[Name] {
  // Compiled only when there is a history to read, because most commands read none.
  ajv ??= new Ajv2020({ strict: false, verbose: true }).addSchema(schema);
  const validate = ajv.getSchema(`${schema.$id}#/$defs/${name}`);
  if (!validate) throw new Error(`the schema of histories defines no ${name}`);
  if (validate(record)) return;
  const [error] = validate.errors ?? [];
  throw new UsageError(`${place}: ${error ? inWords(error) : 'the record does not fit the schema'}`);
}

function inWords({ keyword, instancePath, params, message, parentSchema }: ErrorObject): string {
  const place = instancePath.slice(1).replaceAll('/', '.').slice(0, 200) || 'the record';
  if (keyword === 'required') return `${place} must have ${params.missingProperty}; add it`;
  if (keyword === 'additionalProperties') {
    const known = Object.keys(parentSchema?.properties ?? {});
    return `${place} has a field that the schema does not know; its fields are ${known.join(', ')}; remove the other one`;
  }
  if (keyword === 'false schema') return `${place} must not stand beside the other fields of this object; remove it`;
  const rule = keyword === 'enum' ? `must be one of ${params.allowedValues.join(', ')}` : message;
  return `${place} ${rule}; correct it`;
}
