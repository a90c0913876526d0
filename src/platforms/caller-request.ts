import type { JsonValue } from '@app/mapper';
import type { PlatformError } from './platform-error';

export const callerMethods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;

export type CallerMethod = (typeof callerMethods)[number];

/** A request to a platform that a caller of this service has composed. None of it is trusted. */
export interface CallerRequest {
  readonly method: CallerMethod;
  /** Below the address of the connection; begins with a slash and has no query. */
  readonly path: string;
  /** Parameters in their order. A name may come several times. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonValue;
}

/** A platform's answer, as it came. */
export interface CallerResponse {
  readonly status: number;
  /** By lower-case name; only those that a caller may need. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON where the body is JSON, otherwise its text; null without a body, and for one that is no UTF-8. */
  readonly body: JsonValue;
}

/** The outcome of such a request. */
export type CallerOutcome =
  | { readonly kind: 'answered'; readonly answer: CallerResponse }
  /** The platform has certainly not seen the request. */
  | { readonly kind: 'not_sent'; readonly error: PlatformError }
  /** The request was sent, and it is unknown whether the platform has carried it out. */
  | { readonly kind: 'unknown'; readonly error: PlatformError };

/** Sends a request that was checked, once for a write. @throws when nothing was sent, and the signal's reason */
export type SendCallerRequest = (signal: AbortSignal) => Promise<CallerOutcome>;
