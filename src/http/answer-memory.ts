import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Socket } from 'node:net';
import { ByteBudget, type ByteLimits, type Lease } from '../fairness/byte-budget';
import { WAIT_LIMIT_MS } from '../fairness/loop-time';
import { partyOf } from './party';
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

/** What is counted for a stream that reserves nothing: a portion and its text. */
const STREAM_BYTES = 2 * MB;

/** Answers up to this size are not counted when they are written: a connection costs as much. */
const SMALL = 16 * 1024;

/**
 * Bounds the memory of answers, by customer and in all, from before they are made until they are out. An answer that is made of
 * stored records reserves its bytes first, and waits for them; any other is counted when it is written. Where an answer waits
 * because others are not read, or where too much is written, the oldest unread answer of the owner with most is cut off.
 */
@Injectable()
export class AnswerMemory {
  private readonly budget: ByteBudget;
  /** Answers on their way to their clients by owner, oldest first. */
  private readonly unread = new Map<string, Set<Response>>();
  /** The connection that was cut last. */
  private cut: Socket | undefined;

  constructor(private readonly limits: AnswerLimits = ANSWER_LIMITS) {
    this.budget = new ByteBudget(limits.made, (owner) => this.relieve(owner));
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
    const owner = answer?.owner ?? partyOf(response.req);
    const lease = isReserved ? undefined : this.budget.take(owner, counted);
    this.follow(owner, response, lease);
    const { each, all } = this.limits.held;
    if (this.budget.usedBy(owner) > each) this.cutOldest(owner);
    if (this.budget.used > all) this.relieve();
  }

  private follow(owner: string, response: Response, lease: Lease | undefined): void {
    const own = this.unread.get(owner) ?? new Set();
    this.unread.set(owner, own.add(response));
    response.once('close', () => {
      lease?.release();
      own.delete(response);
      if (own.size === 0 && this.unread.get(owner) === own) this.unread.delete(owner);
    });
  }

  /** Cuts the oldest unread answer of the owner with most, unless that is the one that wants more. */
  private relieve(wanting?: string): void {
    let most: string | undefined;
    for (const owner of this.unread.keys()) {
      if (most === undefined || this.budget.usedBy(owner) > this.budget.usedBy(most)) most = owner;
    }
    if (most === undefined || most === wanting) return;
    if (wanting === undefined || this.budget.usedBy(most) > this.budget.usedBy(wanting)) this.cutOldest(most);
  }

  private cutOldest(owner: string): void {
    const [oldest] = this.unread.get(owner) ?? [];
    // What it holds comes back when its connection has closed: no other is cut before.
    if (oldest === undefined || this.cut?.closed === false) return;
    this.cut = oldest.req.socket;
    // The connection, not the answer: one behind others of its connection has none yet.
    this.cut.destroy();
  }
}
