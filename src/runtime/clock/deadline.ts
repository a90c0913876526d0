import { setMaxListeners } from 'node:events';

/** The time limit of some work is over. */
export class DeadlineReached extends Error {
  override readonly name = 'DeadlineReached';

  constructor(milliseconds: number) {
    super(`The work took longer than ${milliseconds} ms`);
  }
}

/**
 * Runs work with a signal that aborts after a time limit, or as soon as one of other signals does.
 *
 * `AbortSignal.any` and `AbortSignal.timeout` must not be used instead: Node 20 forgets a timeout that only a joined signal
 * refers to as soon as it collects garbage (nodejs/node#57736), and the work would have no end. A long-lived signal would also
 * remember each signal that was joined with it.
 *
 * @param milliseconds the time limit. Its reason is a {@link DeadlineReached}
 * @throws what the work throws. The signal does not end work that ignores it
 */
export async function withinDeadline<Result>(
  milliseconds: number,
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  // The callback refers to the controller, so the limit exists until it is over or cleared.
  const timer = setTimeout(() => limit.abort(new DeadlineReached(milliseconds)), milliseconds);
  timer.unref();
  try {
    return await untilFirstOf([...signals, limit.signal], work);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs work with a signal that aborts as soon as one of some signals does, and with the same reason. */
export async function untilFirstOf<Result>(
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const [only, ...others] = signals;
  if (only !== undefined && others.length === 0) return work(only);
  const first = new AbortController();
  const ends = signals.map((signal) => {
    const follow = (): void => first.abort(signal.reason);
    // As many works listen as run at once. Each leaves when it ends, so a number of listeners is no sign of a leak.
    setMaxListeners(0, signal);
    if (signal.aborted) follow();
    else signal.addEventListener('abort', follow, { once: true });
    return () => signal.removeEventListener('abort', follow);
  });
  try {
    return await work(first.signal);
  } finally {
    for (const end of ends) end();
  }
}
