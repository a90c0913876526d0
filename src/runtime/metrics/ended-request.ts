import type { RequestContext } from '../tracing/request-context';
import type { RequestSpan } from '../tracing/spans';

/** A request whose response is sent, or whose client has disconnected. */
export interface EndedRequest {
  readonly context: RequestContext;
  /** Undefined if the request is not recorded. */
  readonly span: RequestSpan | undefined;
  readonly method: string;
  /** The route's pattern; null if no route matched. A raw URL may contain anything that a client puts into it. */
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
  /** Undefined until a key, or the proof of a platform's notification, is accepted. */
  readonly customerId: string | undefined;
  /** The platform of a proven notification. */
  readonly platform: string | undefined;
  /** ID of the key. It shows an operator whether a replaced key is still in use. */
  readonly keyId: string | undefined;
  /** The response was not sent completely: the client disconnected, or the service cut it off. */
  readonly aborted: boolean;
  /** Why the service cut the response off; undefined if the service had no error. */
  readonly cause: Error | undefined;
}
