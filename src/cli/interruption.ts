import type { EventEmitter } from 'node:events';

/** The signals that end a command, with the exit codes that a shell gives them. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

type EndSignal = keyof typeof EXIT_CODES;

const signals = Object.keys(EXIT_CODES) as EndSignal[];

/** Under npm, a Ctrl-C in a terminal arrives twice: from the terminal and from npm. For so many milliseconds it is one signal. */
const ONE_SIGNAL_MS = 1_000;

/** The failure of a command that a signal ends. */
export class Interrupted extends Error {
  constructor(readonly exitCode: number) {
    super('Interrupted');
  }
}

/**
 * Ends a command at the first SIGINT or SIGTERM: its work fails, and then the command closes what it has open. A later signal
 * ends the process at once. While nothing is open, signals have their usual effect.
 */
export class Interruption {
  /** Each ends work with an error. */
  private readonly ends = new Set<(error: Interrupted) => void>();
  private first: { readonly error: Interrupted; readonly at: number } | undefined;

  /** @param source emits signals as a process does */
  constructor(private readonly source: EventEmitter) {}

  /** Opens something, uses it, and closes it. A signal does not end the process meanwhile, only {@link work}. */
  async whileOpen<Result>(use: () => Promise<Result>): Promise<Result> {
    for (const signal of signals) this.source.on(signal, this.hear);
    try {
      return await use();
    } finally {
      // After a signal, the listeners stay: a copy of it must not change the exit code.
      if (this.first === undefined) for (const signal of signals) this.source.off(signal, this.hear);
    }
  }

  /**
   * Does work until a signal comes. What becomes of interrupted work has no effect on the command.
   *
   * @throws Interrupted at the first signal
   */
  async work<Result>(begin: () => Promise<Result>): Promise<Result> {
    this.refuse();
    const interrupted = new Promise<never>((_resolve, reject) => this.ends.add(reject));
    return Promise.race([interrupted, begin()]);
  }

  /** @throws Interrupted if a signal came, so that the command begins nothing else */
  refuse(): void {
    if (this.first !== undefined) throw this.first.error;
  }

  private readonly hear = (signal: EndSignal): void => {
    const at = performance.now();
    if (this.first === undefined) {
      const error = new Interrupted(EXIT_CODES[signal]);
      this.first = { error, at };
      for (const end of this.ends) end(error);
    } else if (at - this.first.at > ONE_SIGNAL_MS) {
      process.exit(this.first.error.exitCode);
    }
  };
}
