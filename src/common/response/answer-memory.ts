import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Socket } from 'node:net';
import { ByteBudget, type ByteLimits, type Lease } from '../../runtime/fairness/byte-budget';
import { WAIT_LIMIT_MS } from '../../runtime/fairness/event-loop-scheduler';
import { tenantKeyOf } from '../request/tenant-key';
import type { PendingAnswer } from './pending-answer';

const MB = 1024 * 1024;

/** Limits of the memory of answers. */
export interface AnswerLimits {
  /** What answers may reserve before they are made. */
  readonly made: ByteLimits;
  /** What all answers may hold, those included that are counted only when they are written. */
  readonly held: ByteLimits;
}

/** With these a process stays within the 512 MiB of the deployment's manifests. */
export const ANSWER_LIMITS: AnswerLimits = {
  made: { each: 48 * MB, all: 112 * MB },
  held: { each: 56 * MB, all: 128 * MB },
};

/**
 * Memory that JSON of stored records takes while it is made, for each byte that is stored: the driver's buffer, the text of the
 * row, the text of the answer and its bytes. Text beyond Latin-1 has two bytes a character.
 */
export const MADE_OF_STORED = 6;

/** Stored bytes of a usual object with what it refers to. */
const USUAL_ROOM = MB;

/** What work comes to for which there was no room. */
export class NeedsRoom {
  /** @param bytes that are stored, more than there was room for */
  constructor(readonly bytes: number) {}
}

/** An answer that is cut off. */
export interface CutAnswer {
  readonly response: Response;
  /** A customer with less waits for memory, or too much was written that reserved nothing. */
  readonly reason: 'another_waits' | 'too_much_of_customer' | 'too_much_of_all';
  /** Bytes that its client has not taken. */
  readonly unread: number;
  /** For how long its client has had it, or its page where it is a stream. */
  readonly milliseconds: number;
}

/** What is counted for a stream that reserves nothing: a portion and its text. */
const STREAM_BYTES = 2 * MB;

/**
 * Milliseconds that a client has for what it was sent, before it may be cut off because another customer waits. That one waits
 * three times as long.
 */
export const UNREAD_AFTER_MS = 1_000;

/** Milliseconds between looks for answers that have become unread, while a customer waits for the memory of others. */
const LOOK_EVERY_MS = 100;

/** Answers up to this size are not counted when they are written: a connection costs as much. */
const SMALL = 16 * 1024;

/**
 * Bounds the memory of answers, by customer and in all, from before they are made until they are out. An answer that is made of
 * stored records reserves its bytes first, and waits for them; any other is counted when it is written. Where an answer waits
 * because others are not read, or where too much is written, the oldest unread answer of the owner with most is cut off. Unread
 * is what lies in our buffers: an answer that is being made, or that its client has taken, is none.
 */
@Injectable()
export class AnswerMemory {
  private readonly budget: ByteBudget;
  /** Answers on their way to their clients by owner, oldest first. */
  private readonly sent = new Map<string, Set<SentAnswer>>();
  /** The connection that was cut last. */
  private cut: Socket | undefined;
  private nextLook: NodeJS.Timeout | undefined;

  /** @param onCut hears of each answer that is cut off, before it is */
  constructor(
    private readonly limits: AnswerLimits = ANSWER_LIMITS,
    private readonly onCut: (cut: CutAnswer) => void = () => undefined,
  ) {
    this.budget = new ByteBudget(limits.made, () => this.makeRoom());
  }

  /** Bytes of all answers. */
  get used(): number {
    return this.budget.used;
  }

  /** Answers that wait for memory. */
  get waiting(): number {
    return this.budget.waiting;
  }

  /**
   * Waits for the memory that making an answer takes at most. The answer holds it until it is out, or reserves something else.
   *
   * @param patience milliseconds
   * @throws Overloaded when too many wait, or for too long; ClientGone when the client leaves
   */
  async reserve(answer: PendingAnswer, bytes: number, patience?: number): Promise<void> {
    // Who holds nothing while he waits keeps nobody from going on.
    answer.release();
    answer.hold(await this.acquire(answer.owner, bytes, answer.gone, patience));
  }

  /**
   * Makes an answer of stored objects whose size shows only when they are looked at: first with room for a usual one, and again
   * where it needs more. While it waits for memory it holds no connection.
   *
   * @param work gets the stored bytes that it may read
   * @throws as {@link reserve} does, and what the work throws
   */
  async withRoom<Result>(
    answer: PendingAnswer,
    work: (room: number) => Promise<Result | NeedsRoom>,
  ): Promise<Result> {
    for (let room = USUAL_ROOM; ;) {
      await this.reserve(answer, MADE_OF_STORED * room);
      const made = await work(room);
      if (!(made instanceof NeedsRoom)) return made;
      room = made.bytes;
    }
  }

  /** The same for work that several answers share; it releases what it acquired, and they retain it. */
  acquire(
    owner: string,
    bytes: number,
    signal: AbortSignal,
    patience: number = WAIT_LIMIT_MS,
  ): Promise<Lease> {
    return this.budget.acquire(owner, bytes, signal, patience);
  }

  /**
   * Counts an answer that is written now, until it is out or its connection is closed.
   *
   * @param bytes of the whole answer; absent for a stream, which reserves each of its parts
   */
  count(response: Response, bytes?: number): void {
    if (response.destroyed) return;
    const answer = response.req.pendingAnswer;
    if (bytes !== undefined) answer?.settle(bytes);
    const isReserved = answer?.holds === true;
    const counted = bytes ?? STREAM_BYTES;
    if (counted <= SMALL) return;
    const owner = answer?.owner ?? tenantKeyOf(response.req);
    const lease = isReserved ? undefined : this.budget.take(owner, counted);
    this.follow(owner, { response, countedAt: performance.now(), lease });
    const { each, all } = this.limits.held;
    if (this.budget.usedBy(owner) > each) this.cutOldest([owner], 'too_much_of_customer');
    if (this.budget.used > all) this.cutOldest(this.byUse(), 'too_much_of_all');
  }

  private follow(owner: string, answer: SentAnswer): void {
    const own = this.sent.get(owner) ?? new Set();
    this.sent.set(owner, own.add(answer));
    answer.response.once('close', () => {
      answer.lease?.release();
      own.delete(answer);
      if (own.size === 0 && this.sent.get(owner) === own) this.sent.delete(owner);
    });
  }

  /** Owners of answers on their way, those with most first. */
  private byUse(): readonly string[] {
    return [...this.sent.keys()].sort((one, other) => this.budget.usedBy(other) - this.budget.usedBy(one));
  }

  /** Cuts what a client has left unread, where an owner with less waits for memory; while it waits, looks again. */
  private makeRoom(): void {
    const waiting = this.budget.blockedOwner;
    if (waiting === undefined) return;
    const bytes = this.budget.usedBy(waiting);
    const larger = this.byUse().filter((owner) => owner !== waiting && this.budget.usedBy(owner) > bytes);
    this.cutOldest(larger, 'another_waits', UNREAD_AFTER_MS);
    this.nextLook ??= setTimeout(() => {
      // Behind what clients have taken while the process was busy.
      setImmediate(() => {
        this.nextLook = undefined;
        this.makeRoom();
      });
    }, LOOK_EVERY_MS).unref();
  }

  /**
   * Cuts the oldest unread answer of the first owner that has one.
   *
   * @param least milliseconds for which it is unread
   */
  private cutOldest(owners: readonly string[], reason: CutAnswer['reason'], least = 0): void {
    // What the last one holds comes back when its connection has closed: no other is cut before.
    if (this.cut?.closed === false) return;
    const now = performance.now();
    for (const owner of owners) {
      for (const answer of this.sent.get(owner) ?? []) {
        const { response, lease, countedAt } = answer;
        const since = lease === undefined ? response.req.pendingAnswer?.heldSince : countedAt;
        const unread = response.writableLength;
        if (since === undefined || unread === 0 || now - since < least) continue;
        // Behind others of its connection it hears later that this has closed.
        if (response.req.socket.destroyed) return;
        this.onCut({ response, reason, unread, milliseconds: Math.floor(now - since) });
        this.cut = response.req.socket;
        // The connection, not the answer: one behind others of its connection has none yet.
        this.cut.destroy();
        return;
      }
    }
  }
}

/** An answer on its way to its client. */
interface SentAnswer {
  readonly response: Response;
  /** By `performance.now()`. */
  readonly countedAt: number;
  /** What was counted when it was written; undefined where it had reserved its memory. */
  readonly lease: Lease | undefined;
}
