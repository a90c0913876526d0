/** Thrown into a writer whose reader is gone, to end its work. */
export class ReaderGone extends Error {
  constructor() {
    super('The reader is gone');
    this.name = 'ReaderGone';
  }
}

interface Offer<Item> {
  readonly item: Item;
  readonly accept: () => void;
  readonly refuse: (reason: Error) => void;
}

/** Hands items from one writer to one reader, one at a time: the writer goes on when the reader comes for the next. */
export class Handover<Item> {
  private offered: Offer<Item> | undefined;
  private taken: Offer<Item> | undefined;
  private ended = false;
  private failure: { readonly reason: unknown } | undefined;
  private readerGone = false;
  private wakeReader = (): void => undefined;

  /**
   * Offers an item; resolves when the next one is wanted.
   *
   * @throws ReaderGone when nobody will take it any more
   */
  put(item: Item): Promise<void> {
    return new Promise((accept, refuse) => {
      if (this.readerGone) return refuse(new ReaderGone());
      if (this.offered ?? this.taken) return refuse(new Error('The last item is not taken yet; await put()'));
      this.offered = { item, accept, refuse };
      this.wakeReader();
    });
  }

  /** The next item; undefined after the last. Throws what {@link fail} was given. */
  async take(): Promise<Item | undefined> {
    this.taken?.accept();
    this.taken = undefined;
    while (this.offered === undefined && !this.ended) {
      await new Promise<void>((resolve) => (this.wakeReader = resolve));
    }
    if (this.offered === undefined) {
      if (this.failure !== undefined) throw this.failure.reason;
      return undefined;
    }
    this.taken = this.offered;
    this.offered = undefined;
    return this.taken.item;
  }

  end(): void {
    this.ended = true;
    this.wakeReader();
  }

  fail(reason: unknown): void {
    this.failure = { reason };
    this.end();
  }

  /** The reader leaves. A writer that still waits, or comes again, gets ReaderGone. */
  abandon(): void {
    this.readerGone = true;
    this.taken?.refuse(new ReaderGone());
    this.offered?.refuse(new ReaderGone());
    this.taken = this.offered = undefined;
  }
}
