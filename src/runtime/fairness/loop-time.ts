import { Overloaded } from './overloaded';

/** Pieces of work that may wait at the same time: of one party, and of all. What comes beyond is refused at once. */
export const MOST_WAITING = { each: 1_000, all: 10_000 } as const;

/** How long a piece may wait, in milliseconds. Its client most likely gave up on one that waited longer. */
export const WAIT_LIMIT_MS = 3_000;

/** Milliseconds of work in one turn of the event loop, before probes, timers and answers of the database have theirs. */
export const SLICE_MS = 10;

/**
 * Milliseconds that the loop is left to others after a turn of more than two slices, in which some piece took more than one.
 * A request needs several turns: one for each answer of the database. Without a rest it may meet a long piece in each.
 */
export const REST_MS = 2;

/** Milliseconds that a party gets each time the others have had theirs. */
const QUANTUM_MS = 2;

/** Most pieces that one turn of the loop begins. */
const BATCH = 32;

/** A piece of work that may have to wait. Exactly one of the two is called, once. */
export interface Piece {
  readonly begin: () => void;
  /** Absent for the rest of a work that has begun: what was accepted is finished. */
  readonly refuse?: (reason: Overloaded) => void;
}

/** Time and turns of the event loop; tests have their own. */
export interface Loop {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** Calls back in the next turn. What a piece leaves to microtasks has ended by the time of the callback after it. */
  nextTurn(callback: () => void): void;
  /** Calls back after some milliseconds, with as many turns of the loop as find place in them. */
  later(milliseconds: number, callback: () => void): void;
}

const eventLoop: Loop = {
  now: () => performance.now(),
  nextTurn: (callback) => void setImmediate(callback),
  later: (milliseconds, callback) => void setTimeout(callback, milliseconds),
};

interface Waiting extends Piece {
  readonly since: number;
}

/** The pieces of one party that wait. */
class Line {
  /** Milliseconds that the party may still use before others are next; below zero when a piece took more. */
  credit = QUANTUM_MS;
  private pieces: Waiting[] = [];
  /** Index of the first piece: taking from the front of a list costs its length. */
  private first = 0;

  get length(): number {
    return this.pieces.length - this.first;
  }

  add(piece: Waiting): void {
    this.pieces.push(piece);
  }

  take(): Waiting | undefined {
    const piece = this.pieces[this.first];
    this.first += 1;
    if (2 * this.first >= this.pieces.length) {
      this.pieces = this.pieces.slice(this.first);
      this.first = 0;
    }
    return piece;
  }
}

/**
 * Divides the time of the event loop between parties. While the loop keeps up, a piece begins at once. When it does not,
 * pieces wait in a line for each party, and the lines take turns of equal time (deficit round robin, Shreedhar and Varghese
 * 1995, with milliseconds in place of bytes). So a customer whose requests cost much gets no more time than one whose
 * requests cost little, and a turn of the loop takes no longer than a slice and one piece. After a long piece nothing begins
 * for a moment.
 */
export class LoopTime {
  /** In the order of their turns. A party that owes time stays until it has paid, so that leaving gains nothing. */
  private readonly lines = new Map<string, Line>();
  private waitingNow = 0;
  /** When the first piece of this turn of the loop began; undefined before it. */
  private turnBegan: number | undefined;
  private running: { readonly party: string; readonly line: Line; readonly since: number } | undefined;
  /** When this turn of the loop began to serve those who wait. */
  private sliceBegan = 0;
  private serving = false;
  /** A long piece has just ended: the loop belongs to what has begun. */
  private resting = false;

  constructor(private readonly loop: Loop = eventLoop) {}

  /** Pieces that wait. */
  get waiting(): number {
    return this.waitingNow;
  }

  /** Whether a piece that came now would begin at once. */
  get isFree(): boolean {
    return this.waitingNow === 0 && this.hasTime();
  }

  /**
   * Begins a piece of work, now or when it is the party's turn.
   *
   * @param party whose time it takes: a customer's ID, or an address
   */
  enter(party: string, piece: Piece): void {
    if (this.isFree) return piece.begin();
    const full =
      this.waitingNow >= MOST_WAITING.all || (this.lines.get(party)?.length ?? 0) >= MOST_WAITING.each;
    if (full && piece.refuse !== undefined) {
      return piece.refuse(new Overloaded('Too much work waits for the event loop'));
    }
    this.queue(party, piece);
  }

  /**
   * Waits for the party's turn to begin; undefined when there is nothing to wait for.
   *
   * @throws Overloaded (by rejecting) when too much waits, or for too long
   */
  turnToBegin(party: string): Promise<void> | undefined {
    if (this.isFree) return undefined;
    return new Promise((resolve, reject) => this.enter(party, { begin: resolve, refuse: reject }));
  }

  /**
   * To be asked between the pieces of a long work: waits while others have their turns, and is undefined when this turn of
   * the loop has time left. What has begun is never refused, and goes on before other pieces of its party begin, for as
   * long as it is the party's turn: one request then takes one wait, not one for each of its steps.
   */
  turnToGoOn(party: string): Promise<void> | undefined {
    if (this.isFree || this.isTurnOf(party)) return undefined;
    return new Promise((resolve) => this.queue(party, { begin: resolve }));
  }

  /** Whether the piece that runs is the party's, and neither the party's time nor that of this slice is used up. */
  private isTurnOf(party: string): boolean {
    if (this.resting || this.running?.party !== party) return false;
    const now = this.loop.now();
    return now - this.running.since < this.running.line.credit && now - this.sliceBegan < SLICE_MS;
  }

  private queue(party: string, piece: Piece): void {
    const line = this.lines.get(party) ?? new Line();
    this.lines.set(party, line);
    // Named one by one: on Node 20 a member that is added to a spread costs more than all else here.
    line.add({ begin: piece.begin, refuse: piece.refuse, since: this.loop.now() });
    this.waitingNow += 1;
    this.serve();
  }

  private hasTime(): boolean {
    if (this.resting) return false;
    if (this.turnBegan !== undefined) return this.loop.now() - this.turnBegan < SLICE_MS;
    const began = this.loop.now();
    this.turnBegan = began;
    this.loop.nextTurn(() => {
      this.turnBegan = undefined;
      this.restAfter(began);
    });
    return true;
  }

  /** Rests when the turn that began at this time was a long one. */
  private restAfter(began: number): void {
    if (this.resting || this.loop.now() - began <= 2 * SLICE_MS) return;
    this.resting = true;
    this.loop.later(REST_MS, () => {
      this.resting = false;
      this.serve();
    });
  }

  /** Asks for callbacks in the next turn of the loop: one for each piece, and one behind them. */
  private serve(): void {
    if (this.serving || this.resting || this.waitingNow === 0) return;
    this.serving = true;
    const slice: { began?: number } = {};
    for (let place = Math.min(this.waitingNow, BATCH); place > 0; place -= 1) {
      this.loop.nextTurn(() => this.serveOne(slice));
    }
    this.loop.nextTurn(() => {
      this.charge();
      this.serving = false;
      if (slice.began !== undefined) this.restAfter(slice.began);
      if (this.waitingNow > 0) this.serve();
      else this.lines.clear(); // Debts matter only to those who wait.
    });
  }

  private serveOne(slice: { began?: number }): void {
    this.charge();
    const now = this.loop.now();
    slice.began ??= now;
    this.sliceBegan = slice.began;
    if (this.resting || now - slice.began >= SLICE_MS || this.waitingNow === 0) return;
    const [party, line] = this.nextLine() ?? [];
    const piece = line?.take();
    if (party === undefined || line === undefined || piece === undefined) return;
    this.waitingNow -= 1;
    this.running = { party, line, since: now };
    if (piece.refuse === undefined || now - piece.since <= WAIT_LIMIT_MS) piece.begin();
    else piece.refuse(new Overloaded(`No turn of the event loop within ${WAIT_LIMIT_MS} ms`));
  }

  private charge(): void {
    if (this.running === undefined) return;
    this.running.line.credit -= this.loop.now() - this.running.since;
    this.running = undefined;
  }

  /** The line whose turn it is. Each step gives a party the time of one turn, so the steps are as few as the turns. */
  private nextLine(): readonly [party: string, line: Line] | undefined {
    for (const [party, line] of this.lines) {
      if (line.credit > 0 && line.length > 0) return [party, line];
      this.lines.delete(party);
      if (line.credit > 0) continue;
      line.credit += QUANTUM_MS;
      this.lines.set(party, line); // To the end, where this loop finds it again.
    }
    return undefined;
  }
}
