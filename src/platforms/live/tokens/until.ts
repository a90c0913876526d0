/** The result of some work, unless the signal aborts first. The work goes on then, and its end is nobody's concern. */
export async function until<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  let leave: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    // Whoever aborts says why with an Error.
    leave = () => reject(signal.reason as Error);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (leave !== undefined) signal.removeEventListener('abort', leave);
  }
}
