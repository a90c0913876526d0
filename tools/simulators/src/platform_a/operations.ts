import type { Reply, Router } from '../server';
import type { Call } from './call';
import type { Tool } from './world';

/** The place where a request names its company or project. */
export type Scope =
  /** No company: the two paths that need no company header. */
  | 'none'
  /** `company_id` in the query, in the body, or in the path. */
  | 'company_query'
  | 'company_body'
  | 'company_path'
  /** The header alone. */
  | 'company_header'
  /** `project_id` in the query, in the body, or in the path. */
  | 'project_query'
  | 'project_body'
  | 'project_path';

/** The handler of a method of a path. */
export interface Operation {
  readonly scope: Scope;
  /** The tool of the project that must be switched on. */
  readonly tool?: Tool;
  run(call: Call): Reply;
}

export type Operations = Router<Operation>;

export function ok(json: Reply['json']): Reply {
  return json === undefined ? { status: 200 } : { status: 200, json };
}

export function created(json: Reply['json']): Reply {
  return json === undefined ? { status: 201 } : { status: 201, json };
}

/** The answer of the other deletions. */
export const deletedWithoutContent: Reply = { status: 204 };

/** The answer of most deletions: success with an empty body. */
export const deleted: Reply = { status: 200 };
