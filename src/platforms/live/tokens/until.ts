/** The result of some work, unless the signal aborts first. The work then continues and its result is ignored. */
export async function until<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  let leave: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    // Every abort has an Error as its reason.
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
