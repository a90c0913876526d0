import type { SimulatedRequest } from './exchange';

/** Which requests a fault meets; everything that is given must fit. */
export interface FaultMatch {
  /** In capitals. */
  readonly method?: string;
  /** A regular expression, tried on path and query (`/rest/v1.0/vendors?page=2`, escapes decoded). */
  readonly path?: string;
  /** Only the n-th request that fits the rest and the ones after it, from 1; `times` limits how many. */
  readonly nth?: number;
}

interface FaultBase {
  readonly match: FaultMatch;
  /** How many requests it meets; 1 when absent, and 0 for all. */
  readonly times?: number;
}

/**
 * What can go wrong with a request.
 *
 * - `delay`: handled `ms` simulated milliseconds later; `after: true` delays the answer of a request that is done.
 * - `reset_before`: the connection is cut, nothing is done. `reset_after`: cut after it is done.
 * - `hang`: nothing is done and nothing is answered until the client leaves, or the simulator closes.
 * - `status`: this status with `text` or `json` as body; nothing is done, or, with `effect: true`, the work is done first.
 * - `html`: as `status`, with a page of a gateway as body; 502 unless `status` says other.
 * - `truncate`: done; a whole HTTP answer whose body ends in the middle. `cut`: done; the connection ends in the middle of the body.
 * - `headers`: done and answered, with these headers set as well.
 * - `edit`: one of the platform's edits (`POST /state/<edit>`) before the request is handled, or `after: true` behind it.
 * - `run`: a function of the test in place of an edit; not over the control port.
 */
export type Fault = FaultBase &
  (
    | { readonly kind: 'delay'; readonly ms: number; readonly after?: boolean }
    | { readonly kind: 'reset_before' | 'reset_after' | 'hang' | 'truncate' | 'cut' }
    | {
        readonly kind: 'status' | 'html';
        readonly status?: number;
        readonly effect?: boolean;
        readonly headers?: Readonly<Record<string, string>>;
        readonly text?: string;
      }
    | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> }
    | { readonly kind: 'edit'; readonly edit: string; readonly with?: unknown; readonly after?: boolean }
    | { readonly kind: 'run'; readonly run: (request: SimulatedRequest) => void; readonly after?: boolean }
  );

interface PlannedFault {
  readonly id: number;
  readonly fault: Fault;
  readonly path: RegExp | undefined;
  /** Requests that fitted method and path. */
  seen: number;
  /** Requests that it met. */
  met: number;
}

/** The faults that are still to come. Each request meets all that fit it, in the order in which they were set. */
export class FaultPlan {
  private planned: PlannedFault[] = [];
  private lastId = 0;

  /** @throws SyntaxError for a path that is no regular expression */
  add(...faults: readonly Fault[]): readonly number[] {
    const added = faults.map((fault): PlannedFault => {
      const { path } = fault.match;
      this.lastId += 1;
      return {
        id: this.lastId,
        fault,
        path: path === undefined ? undefined : new RegExp(path),
        seen: 0,
        met: 0,
      };
    });
    this.planned.push(...added);
    return added.map(({ id }) => id);
  }

  clear(): void {
    this.planned = [];
  }

  /** The faults that a request meets now. Counts it. */
  meet(request: SimulatedRequest): readonly Fault[] {
    const target = targetOf(request);
    return this.planned.filter((planned) => meets(planned, request.method, target)).map(({ fault }) => fault);
  }

  /** Whether every fault has met as many requests as it was to. Those for all requests never count as spent. */
  get isSpent(): boolean {
    return this.planned.every(({ fault, met }) => (fault.times ?? 1) === 0 || met >= (fault.times ?? 1));
  }

  list(): readonly { readonly id: number; readonly fault: Fault; readonly met: number }[] {
    return this.planned.map(({ id, fault, met }) => ({ id, fault, met }));
  }
}

function meets(planned: PlannedFault, method: string, target: string): boolean {
  const { match, times = 1 } = planned.fault;
  if (match.method !== undefined && match.method !== method) return false;
  if (planned.path !== undefined && !planned.path.test(target)) return false;
  planned.seen += 1;
  if (planned.seen < (match.nth ?? 1) || (times !== 0 && planned.met >= times)) return false;
  planned.met += 1;
  return true;
}

function targetOf({ path, query }: SimulatedRequest): string {
  if (query.size === 0) return path;
  const text = query.toString().replaceAll('+', ' ');
  try {
    return `${path}?${decodeURIComponent(text)}`;
  } catch {
    return `${path}?${text}`;
  }
}
