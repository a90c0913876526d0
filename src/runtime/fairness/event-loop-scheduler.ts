import { Overloaded } from './overloaded';

/** Maximum number of waiting tasks: of one tenant, and of all tenants. Further tasks are refused at once. */
export const MOST_WAITING = { each: 1_000, all: 10_000 } as const;

/** Longest wait of a task, in milliseconds. After that its client has most likely given up. */
export const WAIT_LIMIT_MS = 3_000;

/** Milliseconds of work in one turn of the event loop, before probes, timers and database responses are processed. */
export const SLICE_MS = 8;

/** Milliseconds after which a turn of the loop was a long one. */
export const LONG_TURN_MS = 20;

/**
 * Milliseconds of rest after a long turn. A request needs several turns, one for each response of the database. Without a
 * rest each of these turns might contain a long task.
 */
export const REST_MS = 2;

/** Milliseconds that a tenant gets in each round of the turns. */
export const QUANTUM_MS = 4;

/** Maximum number of times that tasks of a tenant begin in one turn of the loop. */
const BATCH = 32;

/**
 * Maximum number of tasks of one tenant that begin together. Their steps then run side by side, which costs less than one task
 * after the other (see TurnBatch).
 */
const MOST_TOGETHER = 16;

/** A task that may have to wait. Exactly one of the two functions is called, once. */
export interface LoopTask {
  readonly begin: () => void;
  /** Absent for the rest of work that has begun: accepted work is finished. */
  readonly refuse?: (reason: Overloaded) => void;
}

/** Time and turns of the event loop. Tests substitute their own. */
export interface EventLoop {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Calls back in the next turn. Microtasks of a task have ended when the following callback runs. */
  nextTurn(callback: () => void): void;
  /** Calls back after some milliseconds. Other turns of the loop run in between. */
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

/** The waiting tasks of one tenant. */
class TaskQueue {
  /** Milliseconds that the tenant may use before other tenants are next; negative if a task took more. */
  credit = QUANTUM_MS;
  /** The number of tasks that the tenant begins together. It adapts, so that together they take about a quantum. */
  together = 1;
  private tasks: WaitingTask[] = [];
  /** Index of the first task. Removing from the front of an array would cost time in proportion to its length. */
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
 * Divides the time of the event loop between tenants. While the loop keeps up, a task begins at once. Otherwise tasks
 * wait in a queue for each tenant, and the queues take turns of equal time (deficit round robin, Shreedhar and Varghese
 * 1995, with milliseconds in place of bytes). A customer with expensive requests therefore gets no more time than a
 * customer with cheap ones, and a turn of the loop takes no longer than a slice and the tasks that begin together at
 * its end. After a long turn no task begins for a moment.
 */
export class EventLoopScheduler {
  /**
   * In the order of their turns. A tenant with a time debt stays until the debt is paid, so that leaving brings no
   * advantage.
   */
  private readonly queues = new Map<string, TaskQueue>();
  private waitingNow = 0;
  /** When the first task of this turn of the loop began; undefined before it. */
  private turnBegan: number | undefined;
  private running: { readonly tenant: string; readonly queue: TaskQueue; readonly since: number } | undefined;
  /** When this turn of the loop began to serve waiting tasks. */
  private sliceBegan = 0;
  private serving = false;
  /** A long turn has just ended: the loop serves only work that has begun. */
  private resting = false;

  constructor(private readonly loop: EventLoop = eventLoop) {}

  /** Number of waiting tasks. */
  get waiting(): number {
    return this.waitingNow;
  }

  /** Whether a new task would begin at once. */
  get isFree(): boolean {
    return this.waitingNow === 0 && this.hasTime();
  }

  /**
   * Begins a task, now or when it is the tenant's turn.
   *
   * @param tenant the tenant whose time the task uses: a customer's ID, or an address
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
   * Waits for the tenant's turn to begin; undefined if no wait is necessary.
   *
   * @throws Overloaded (by rejecting) if too many tasks wait, or the wait takes too long
   */
  waitToBegin(tenant: string): Promise<void> | undefined {
    if (this.isFree) return undefined;
    return new Promise((resolve, reject) => this.schedule(tenant, { begin: resolve, refuse: reject }));
  }

  /**
   * For the steps of long work: waits while other tenants have their turns; undefined if this turn of the loop has time
   * left. Work that has begun is never refused. It precedes other tasks of its tenant as long as it is the tenant's
   * turn, so that a request waits once and not for each of its steps.
   */
  waitToContinue(tenant: string): Promise<void> | undefined {
    if (this.isFree || this.hasTurn(tenant)) return undefined;
    return new Promise((resolve) => this.queue(tenant, { begin: resolve }));
  }

  /** Whether the running task belongs to the tenant, and both the tenant's time and this slice have time left. */
  private hasTurn(tenant: string): boolean {
    if (this.resting || this.running?.tenant !== tenant) return false;
    const now = this.loop.now();
    return now - this.running.since < this.running.queue.credit && now - this.sliceBegan < SLICE_MS;
  }

  private queue(tenant: string, task: LoopTask): void {
    const queue = this.queues.get(tenant) ?? new TaskQueue();
    this.queues.set(tenant, queue);
    // Listed individually: on Node 20, adding a member to a spread costs more than the rest of this method.
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

  /** Rests if the turn that began at this time was a long one. */
  private restAfter(began: number): void {
    if (this.resting || this.loop.now() - began <= LONG_TURN_MS) return;
    this.resting = true;
    this.loop.later(REST_MS, () => {
      this.resting = false;
      this.serve();
    });
  }

  /** Requests callbacks in the next turn of the loop: one for each task at most, and one after them. */
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
      else this.queues.clear(); // Debts matter only to waiting tenants.
    });
  }

  private serveOne(slice: { began?: number }): void {
    this.charge();
    const now = this.loop.now();
    slice.began ??= now;
    this.sliceBegan = slice.began;
    if (this.resting || now - slice.began >= SLICE_MS || this.waitingNow === 0) return;
    const [tenant, queue] = this.nextQueue() ?? [];
    if (tenant === undefined || queue === undefined) return;
    this.running = { tenant, queue, since: now };
    let left = queue.together;
    do {
      const task = queue.take();
      if (task === undefined) return;
      left -= 1;
      this.waitingNow -= 1;
      if (task.refuse === undefined || now - task.since <= WAIT_LIMIT_MS) task.begin();
      else task.refuse(new Overloaded(`No turn of the event loop within ${WAIT_LIMIT_MS} ms`));
    } while (left > 0 && queue.length > 0 && this.loop.now() - now < queue.credit);
  }

  private charge(): void {
    if (this.running === undefined) return;
    const { queue, since } = this.running;
    const took = this.loop.now() - since;
    queue.credit -= took;
    if (2 * took < QUANTUM_MS) queue.together = Math.min(2 * queue.together, MOST_TOGETHER);
    else if (took > QUANTUM_MS) queue.together = Math.max(1, queue.together >> 1);
    this.running = undefined;
  }

  /**
   * The queue whose turn it is. Each step credits a tenant with the time of one turn, so there are as many steps as
   * turns.
   */
  private nextQueue(): readonly [tenant: string, queue: TaskQueue] | undefined {
    for (const [tenant, queue] of this.queues) {
      if (queue.credit > 0 && queue.length > 0) return [tenant, queue];
      this.queues.delete(tenant);
      if (queue.credit > 0) continue;
      queue.credit += QUANTUM_MS;
      this.queues.set(tenant, queue); // Moved to the end, where this loop reaches the queue again.
    }
    return undefined;
  }
}
