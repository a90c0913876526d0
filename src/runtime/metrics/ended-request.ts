import type { RequestContext } from '../tracing/request-context';

/** A request whose answer is out, or whose client is gone. */
export interface EndedRequest {
  readonly context: RequestContext;
  readonly method: string;
  /** The route's pattern, null where there is none: a raw URL may hold whatever a client put into it. */
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
  /** Undefined while neither a key nor the proof of a platform's call was accepted. */
  readonly customerId: string | undefined;
  /** Of a call of a platform, once it is proven. */
  readonly platform: string | undefined;
  /** ID of the key, by which an operator sees whether a replaced one is still used. */
  readonly keyId: string | undefined;
  /** The answer did not get out whole: the client left, or was cut off. */
  readonly aborted: boolean;
  /** Why it was cut off; undefined when that was no fault of ours. */
  readonly cause: Error | undefined;
}
