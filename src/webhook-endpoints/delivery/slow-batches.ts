/** Batches that wait for slow receivers. They go on without a place, so that their receivers cost the others none. */
export class SlowBatches {
  private readonly underWay = new Set<Promise<void>>();

  /** @param most how many go on without a place at a time */
  constructor(private readonly most: number) {}

  /**
   * Waits for a batch, as long as that is not slow.
   *
   * @param patience milliseconds after which it is
   * @param failed receives the error of a batch that goes on without a place
   * @returns when the batch has ended, or when it goes on without a place: it keeps its own where too many others do
   * @throws what a batch with a place throws
   */
  async wait(batch: Promise<void>, patience: number, failed: (error: unknown) => void): Promise<void> {
    if ((await endsWithin(batch, patience)) || this.underWay.size >= this.most) return batch;
    const going = batch.catch(failed).finally(() => void this.underWay.delete(going));
    this.underWay.add(going);
  }

  /** Resolves when none goes on without a place. */
  async idle(): Promise<void> {
    await Promise.all(this.underWay);
  }
}

/** Whether a batch has ended, well or not, after so many milliseconds. */
async function endsWithin(batch: Promise<void>, patience: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const isSlow = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), patience);
  });
  const hasEnded = (): true => true;
  try {
    return await Promise.race([batch.then(hasEnded, hasEnded), isSlow]);
  } finally {
    clearTimeout(timer);
  }
}
