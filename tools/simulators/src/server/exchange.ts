import type { JsonValue } from '@app/mapper';

/** A received request with its complete body. */
export interface SimulatedRequest {
  /** The number of the request over all servers of a simulator, from 1. */
  readonly number: number;
  readonly method: string;
  /** The path without its query, not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The query as it was sent, without the question mark. */
  readonly rawQuery: string;
  /** Names in lower case; several headers of one name are joined as HTTP prescribes. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The number of requests in progress when this one arrived, including it. */
  readonly running: number;
}

/** An answer: `json` or `text`, or neither for an empty body. */
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

/** An answer that ends the handling of a request where it is thrown. */
export class Refusal extends Error {
  constructor(readonly reply: Reply) {
    super(`refused with ${reply.status}`);
  }
}
