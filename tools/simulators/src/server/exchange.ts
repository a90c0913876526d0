import type { JsonValue } from '@app/mapper';

/** A request as it came in, its body whole. */
export interface SimulatedRequest {
  /** Counts up from 1, over all servers of a simulator. */
  readonly number: number;
  readonly method: string;
  /** The path without its query, as it was sent: nothing is decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The query as it was sent, without its question mark. */
  readonly rawQuery: string;
  /** Names in lower case; several of one name are joined as HTTP says. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Requests that were being answered when this one came, itself included. */
  readonly running: number;
}

/** An answer. Give `json` or `text`, or neither for an empty body. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as application/json; exact numbers keep their spelling. */
  readonly json?: JsonValue;
  /** Sent as text/plain, unless the headers name another type. */
  readonly text?: string;
}

/** Answers a request. It may throw a {@link Refusal}; anything else thrown is a defect of the simulator. */
export type Answerer = (request: SimulatedRequest) => Reply | Promise<Reply>;

/** An answer that ends the handling of a request wherever it is thrown. */
export class Refusal extends Error {
  constructor(readonly reply: Reply) {
    super(`refused with ${reply.status}`);
  }
}
