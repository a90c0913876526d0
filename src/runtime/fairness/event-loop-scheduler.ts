import { Overloaded } from './overloaded';

/** Tasks of work that may wait at the same time: of one tenant, and of all. What comes beyond is refused at once. */
export const MOST_WAITING = { each: 1_000, all: 10_000 } as const;

/** How long a task may wait, in milliseconds. Its client most likely gave up on one that waited longer. */
export const WAIT_LIMIT_MS = 3_000;

/** Milliseconds of work in one turn of the event loop, before probes, timers and answers of the database have theirs. */
export const SLICE_MS = 10;

/**
 * Milliseconds that the loop is left to others after a turn of more than two slices, in which some task took more than one.
 * A request needs several turns: one for each answer of the database. Without a rest it may meet a long task in each.
 */
export const REST_MS = 2;

/** Milliseconds that a tenant gets each time the others have had theirs. */
const QUANTUM_MS = 2;

/** Most tasks that one turn of the loop begins. */
const BATCH = 32;

/** A task of work that may have to wait. Exactly one of the two is called, once. */
export interface LoopTask {
  readonly begin: () => void;
  /** Absent for the rest of a work that has begun: what was accepted is finished. */
  readonly refuse?: (reason: Overloaded) => void;
}

/** Time and turns of the event loop; tests have their own. */
export interface EventLoop {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** Calls back in the next turn. What a task leaves to microtasks has ended by the time of the callback after it. */
  nextTurn(callback: () => void): void;
  /** Calls back after some milliseconds, with as many turns of the loop as find place in them. */
  later(milliseconds: number, callback: () => void): void;
}

const eventLoop: EventLoop = {
  now: () => performance.now(),
  nextTurn: (callback) => void setImmediate(callback),
  later: (milliseconds, callback) => void setTimeout(callback, milliseconds),
};

interface WaitingTask extends LoopTask {
  readonly since: number;
}

/** The tasks of one tenant that wait. */
class TaskQueue {
  /** Milliseconds that the tenant may still use before others are next; below zero when a task took more. */
  credit = QUANTUM_MS;
  private tasks: WaitingTask[] = [];
  /** Index of the first task: taking from the front of a list costs its length. */
  private first = 0;

  get length(): number {
    return this.tasks.length - this.first;
  }

  add(task: WaitingTask): void {
    this.tasks.push(task);
  }

  take(): WaitingTask | undefined {
    const task = this.tasks[this.first];
    this.first += 1;
    if (2 * this.first >= this.tasks.length) {
      this.tasks = this.tasks.slice(this.first);
      this.first = 0;
    }
    return task;
  }
}

/**
 * Divides the time of the event loop between tenants. While the loop keeps up, a task begins at once. When it does not,
 * tasks wait in a queue for each tenant, and the queues take turns of equal time (deficit round robin, Shreedhar and Varghese
 * 1995, with milliseconds in place of bytes). So a customer whose requests cost much gets no more time than one whose
 * requests cost little, and a turn of the loop takes no longer than a slice and one task. After a long task nothing begins
 * for a moment.
 */
export class EventLoopScheduler {
  /** In the order of their turns. A tenant that owes time stays until it has paid, so that leaving gains nothing. */
  private readonly queues = new Map<string, TaskQueue>();
  private waitingNow = 0;
  /** When the first task of this turn of the loop began; undefined before it. */
  private turnBegan: number | undefined;
  private running: { readonly tenant: string; readonly queue: TaskQueue; readonly since: number } | undefined;
  /** When this turn of the loop began to serve those who wait. */
  private sliceBegan = 0;
  private serving = false;
  /** A long task has just ended: the loop belongs to what has begun. */
  private resting = false;

  constructor(private readonly loop: EventLoop = eventLoop) {}

  /** Tasks that wait. */
  get waiting(): number {
    return this.waitingNow;
  }

  /** Whether a task that came now would begin at once. */
  get isFree(): boolean {
    return this.waitingNow === 0 && this.hasTime();
  }

  /**
   * Begins a task of work, now or when it is the tenant's turn.
   *
   * @param tenant whose time it takes: a customer's ID, or an address
   */
  schedule(tenant: string, task: LoopTask): void {
    if (this.isFree) return task.begin();
    const full =
      this.waitingNow >= MOST_WAITING.all || (this.queues.get(tenant)?.length ?? 0) >= MOST_WAITING.each;
    if (full && task.refuse !== undefined) {
      return task.refuse(new Overloaded('Too much work waits for the event loop'));
    }
    this.queue(tenant, task);
  }

  /**
   * Waits for the tenant's turn to begin; undefined when there is nothing to wait for.
   *
   * @throws Overloaded (by rejecting) when too much waits, or for too long
   */
  waitToBegin(tenant: string): Promise<void> | undefined {
    if (this.isFree) return undefined;
    return new Promise((resolve, reject) => this.schedule(tenant, { begin: resolve, refuse: reject }));
  }

  /**
   * To be asked between the tasks of a long work: waits while others have their turns, and is undefined when this turn of
   * the loop has time left. What has begun is never refused, and goes on before other tasks of its tenant begin, for as
   * long as it is the tenant's turn: one request then takes one wait, not one for each of its steps.
   */
  waitToContinue(tenant: string): Promise<void> | undefined {
    if (this.isFree || this.hasTurn(tenant)) return undefined;
    return new Promise((resolve) => this.queue(tenant, { begin: resolve }));
  }

  /** Whether the task that runs is the tenant's, and neither the tenant's time nor that of this slice is used up. */
  private hasTurn(tenant: string): boolean {
    if (this.resting || this.running?.tenant !== tenant) return false;
    const now = this.loop.now();
    return now - this.running.since < this.running.queue.credit && now - this.sliceBegan < SLICE_MS;
  }

  private queue(tenant: string, task: LoopTask): void {
    const queue = this.queues.get(tenant) ?? new TaskQueue();
    this.queues.set(tenant, queue);
    // Named one by one: on Node 20 a member that is added to a spread costs more than all else here.
    queue.add({ begin: task.begin, refuse: task.refuse, since: this.loop.now() });
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

  /** Asks for callbacks in the next turn of the loop: one for each task, and one behind them. */
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
      else this.queues.clear(); // Debts matter only to those who wait.
    });
  }

  private serveOne(slice: { began?: number }): void {
    this.charge();
    const now = this.loop.now();
    slice.began ??= now;
    this.sliceBegan = slice.began;
    if (this.resting || now - slice.began >= SLICE_MS || this.waitingNow === 0) return;
    const [tenant, queue] = this.nextQueue() ?? [];
    const task = queue?.take();
    if (tenant === undefined || queue === undefined || task === undefined) return;
    this.waitingNow -= 1;
    this.running = { tenant, queue, since: now };
    if (task.refuse === undefined || now - task.since <= WAIT_LIMIT_MS) task.begin();
    else task.refuse(new Overloaded(`No turn of the event loop within ${WAIT_LIMIT_MS} ms`));
  }

  private charge(): void {
    if (this.running === undefined) return;
    this.running.queue.credit -= this.loop.now() - this.running.since;
    this.running = undefined;
  }

  /** The queue whose turn it is. Each step gives a tenant the time of one turn, so the steps are as few as the turns. */
  private nextQueue(): readonly [tenant: string, queue: TaskQueue] | undefined {
    for (const [tenant, queue] of this.queues) {
      if (queue.credit > 0 && queue.length > 0) return [tenant, queue];
      this.queues.delete(tenant);
      if (queue.credit > 0) continue;
      queue.credit += QUANTUM_MS;
      this.queues.set(tenant, queue); // To the end, where this loop finds it again.
    }
    return undefined;
  }
}
