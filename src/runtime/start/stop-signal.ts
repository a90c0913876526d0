/**
 * Aborts at the first SIGTERM or SIGINT. Later signals have no effect: with a Ctrl-C in a terminal, this process
 * receives the signal both directly and through npm.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => controller.abort());
  return controller.signal;
}

/** Resolves when the signal aborts, or at once if it already has. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
