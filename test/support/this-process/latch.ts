/** A promise that stays pending until a test resolves it from outside. */
export interface Latch<T = void> {
  /** Resolves with the value of the first {@link Latch.open}; it never rejects. */
  readonly opened: Promise<T>;
  /** Resolves {@link Latch.opened}. A further call has no effect. It needs no `this`, so it may be passed on alone. */
  readonly open: (value: T) => void;
}

/**
 * Makes a latch, with which a test holds work at a point and lets it go on, or learns that work has come to a point. What
 * waits for a latch that is never opened does not end: a test whose service would not close then opens it in `finally`.
 */
export function latch<T = void>(): Latch<T> {
  let open = (_value: T): void => undefined;
  const opened = new Promise<T>((resolve) => (open = resolve));
  return { opened, open };
}
