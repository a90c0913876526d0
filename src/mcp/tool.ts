import type { JsonObject } from '@app/mapper';
import type { Caller } from '../auth/callers/caller';
import type { Permission } from '../auth/keys/permissions';
import type { PendingResponse } from '../common/response/memory/pending-response';
import type { RequestContext } from '../runtime/tracing/request-context';

/** The facts about the request that calls a tool. */
export interface ToolCall {
  readonly caller: Caller;
  /** SHA-256 of the caller's API key, which only this service knows: proposals are sealed with it. */
  readonly keyHash: string;
  readonly request: RequestContext;
  /** The HTTP response that will carry the result; memory is reserved for it. */
  readonly answer: PendingResponse;
}

/**
 * The result of a tool, in the form of the API's response: `data`, and the members beside it. A member is a value, or
 * JSON that stays text: `JsonBytes`, `JsonText`, `ReplayableResponse`.
 */
export type ToolOutcome = Readonly<Record<string, unknown>>;

/** A tool that agents may call. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** The description for the agent: what the tool does, and what to do before and after it. */
  readonly description: string;
  /** The permission that a key needs. For other keys the tool is not listed, and it refuses them. */
  readonly permission: Permission;
  /** JSON Schema of the arguments. */
  readonly inputSchema: () => JsonObject;
  /** Whether a call may change anything. */
  readonly writes: boolean;
  /** @throws ApiError as the API does; errors of the service itself rise */
  readonly call: (given: JsonObject, call: ToolCall) => Promise<ToolOutcome>;
}
