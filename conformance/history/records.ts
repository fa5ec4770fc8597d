import type { components } from '../../generated/sandbox-control.ts';

/** The version of the form in which histories are written. It changes with `history.schema.json`, because a reader refuses fields that it does not know. */
export const historyVersion = 1;

/** The longest body that a record keeps, in characters; what lies beyond is cut off and not judged. */
export const longestBody = 1024 * 1024;

/** The first record of a history: what the others refer to. */
export interface RunRecord {
  kind: 'run';
  version: typeof historyVersion;
  /** The suite that wrote the history. */
  suite: string;
  target: string;
  seed: number;
  /** The runner's wall clock at moment 0, in milliseconds since the epoch. */
  startedAt: number;
  /** Milliseconds by which the target's clock is ahead of the runner's. */
  clockAhead: number;
  /** How long the run waits for an effect that the contract does not date, in milliseconds. */
  settle: number;
  /** How long the run waits for a webhook, in milliseconds. */
  webhookWait: number;
  /** Open points that the configuration pins, by id. */
  pins: Readonly<Record<string, string>>;
}

/** When something happened, in milliseconds on the runner's monotonic clock since the run began. */
export interface Span {
  start: number;
  end: number;
}

/** A body as text, and whether its end was cut off. Then a mark stands at the end of the text, so that redaction recognises half a secret there. */
export interface Body {
  text: string;
  cut?: true;
}

/** One request to the merchant API and its answer. */
export interface RequestRecord extends Span {
  kind: 'request';
  /** Id of the check that sent it. */
  check?: string;
  /** The contract's name of the operation; absent: the request is none of the eight. */
  operation?: string;
  /** The path's parameters, decoded. */
  parameters?: Readonly<Record<string, string>>;
  /** The merchant whose credentials the request was made with. */
  as: string;
  /** `right`: signed as the contract says, at the present time, by `as`. `changed`: the check changed something about it. */
  authentication: 'right' | 'changed';
  method: string;
  /** As in the request line, without the target's prefix and without the query. */
  path: string;
  /** As in the request line, without its `?`; absent: there is none. */
  query?: string;
  headers: Readonly<Record<string, string>>;
  body?: Body;
  /** Absent: no whole answer came. */
  answer?: { status: number; headers: Readonly<Record<string, string>>; body: Body };
  /** Why no answer came. */
  error?: string;
}

/** An event that the driver was asked for, as it was named to the driver. */
export interface AskedEvent {
  type: string;
  /** Decimal text in the currency that is due. */
  amount?: string;
  paymentMethod?: string;
  network?: string;
  fromAddress?: string;
  transactionHash?: string;
  /** The `errorCode` of a refund that fails. Absent: that of an exchange without enough funds. */
  errorCode?: string;
  /** Why a payment fails, such as `timeout`. */
  reason?: string;
}

/** An amount as the contract writes it: decimal text and a currency. */
export interface Money {
  value: string;
  currency: string;
}

/** How a driver did what it was asked for: it was done, the state rules refused it, or the driver failed. */
export type StepResult =
  | {
      done: true;
      /** What the payer owes, where the driver knows it. */
      due?: Money;
      /** The payment as it was made, where the driver vouches for it. */
      payment?: Omit<AskedEvent, 'type' | 'reason' | 'errorCode'>;
    }
  | { done: false; message: string }
  | { failed: string };

/** A merchant that the driver was asked to make. */
export interface ProvisionRecord extends Span {
  kind: 'driver';
  step: 'provisionMerchant';
  settings: components['schemas']['MerchantSettings'];
  /** Absent: it was not made. */
  merchantId?: string;
  failed?: string;
}

/** Something that the driver was asked to let happen to an order. */
export interface OrderEventRecord extends Span {
  kind: 'driver';
  step: 'orderEvent';
  merchantId: string;
  orderId: string;
  event: AskedEvent;
  result: StepResult;
}

/** Something that the driver was asked to let happen to a refund. */
export interface RefundEventRecord extends Span {
  kind: 'driver';
  step: 'refundEvent';
  merchantId: string;
  refundOrderId: string;
  event: AskedEvent;
  result: StepResult;
}

/** An end of the target without warning that the driver was asked for, and its new start. */
export interface RestartRecord extends Span {
  kind: 'driver';
  step: 'restart';
  /** Why the driver failed. Absent: the target was ended and started again; it may not have answered yet. */
  failed?: string;
}

/** A merchant's business time that the driver was asked to move. */
export interface ClockRecord extends Span {
  kind: 'clock';
  merchantId: string;
  seconds: number;
  /** Absent: it was moved. */
  failed?: string;
}

/** A webhook that arrived at one of the run's addresses. */
export interface WebhookRecord extends Span {
  kind: 'webhook';
  /** Id of the check whose address it came to. */
  check?: string;
  /** The address that was given to the target, with its query. */
  address: string;
  /** The path and query of the request line. */
  target: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: Body;
  /** What it was answered with: an HTTP status, or nothing. */
  answered: number | 'no-answer' | 'close';
  /** The Location of the answer; absent: it had none. */
  location?: string;
}

/** A connection to the receiver of webhooks that its sender broke off before it was secure, so that nothing is known of its webhook. */
export interface HandshakeRecord extends Span {
  kind: 'handshake';
  /** The code of the error, as Node.js names it, such as `ERR_SSL_TLSV1_ALERT_UNKNOWN_CA`. */
  error: string;
}

export type DriverRecord = ProvisionRecord | OrderEventRecord | RefundEventRecord | RestartRecord;

/** Something that happened in a run. */
export type HistoryRecord = RequestRecord | DriverRecord | ClockRecord | WebhookRecord | HandshakeRecord;

/** What happened in a run, in the order in which it ended. */
export interface History {
  readonly run: RunRecord;
  readonly records: readonly HistoryRecord[];
}
