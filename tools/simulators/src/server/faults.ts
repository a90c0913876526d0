import type { SimulatedRequest } from './exchange';

/** The requests that a fault concerns. All given conditions must hold. */
export interface FaultMatch {
  /** In upper case. */
  readonly method?: string;
  /** A regular expression that is tested against path and query (`/rest/v1.0/vendors?page=2`, escapes decoded). */
  readonly path?: string;
  /**
   * Only the n-th request that matches the other conditions, and those after it, counted from 1; `times` limits their
   * number.
   */
  readonly nth?: number;
}

interface FaultBase {
  readonly match: FaultMatch;
  /** The number of requests that it concerns; 1 when absent, 0 for all. */
  readonly times?: number;
}

/**
 * The faults of a request.
 *
 * - `delay`: the request is handled `ms` simulated milliseconds later; `after: true` delays the answer of a handled
 * request.
 * - `reset_before`: the connection is closed and the request is not handled. `reset_after`: it is closed after the
 * request was handled.
 * - `hang`: the request is neither handled nor answered until the client disconnects or the simulator closes.
 * - `status`: this status with `text` or `json` as body. The request is not handled, or with `effect: true` handled
 * first.
 * - `html`: like `status`, with the page of a gateway as body; 502 unless `status` is given.
 * - `truncate`: handled; a complete HTTP response whose body ends in the middle. `cut`: handled; the connection ends
 * in the middle of the body.
 * - `headers`: handled and answered, with these headers in addition.
 * - `edit`: one of the platform's edits (`POST /state/<edit>`) before the request is handled, or after it with `after:
 * true`.
 * - `run`: a function of the test in place of an edit; not available over the control port.
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
  /** The number of requests that matched method and path. */
  seen: number;
  /** The number of requests that it concerned. */
  met: number;
}

/** The planned faults. Each request gets all faults that match it, in the order in which they were added. */
export class FaultPlan {
  private planned: PlannedFault[] = [];
  private lastId = 0;

  /** @throws SyntaxError for a path that is no valid regular expression */
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

  /** The faults of a request. Counts the request. */
  meet(request: SimulatedRequest): readonly Fault[] {
    const target = targetOf(request);
    return this.planned.filter((planned) => meets(planned, request.method, target)).map(({ fault }) => fault);
  }

  /** Whether every fault has occurred as often as planned. Faults for all requests never count as spent. */
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
