import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Socket } from 'node:net';
import { ByteBudget, type ByteLimits, type Lease } from '../../../runtime/fairness/byte-budget';
import { WAIT_LIMIT_MS } from '../../../runtime/fairness/event-loop-scheduler';
import { tenantKeyOf } from '../../request/tenant-key';
import type { PendingResponse } from './pending-response';

const MB = 1024 * 1024;

/** Limits of the memory of responses. */
export interface ResponseLimits {
  /** Maximum that responses may reserve before they are made. */
  readonly made: ByteLimits;
  /** Maximum that all responses may hold, including those that are counted only when they are written. */
  readonly held: ByteLimits;
}

/** With these limits a process stays within the 512 MiB of the deployment's manifests. */
export const ANSWER_LIMITS: ResponseLimits = {
  made: { each: 48 * MB, all: 112 * MB },
  held: { each: 56 * MB, all: 128 * MB },
};

/**
 * Memory for making JSON of stored records, for each stored byte: the driver's buffer, the text of the row, the text of
 * the response and its bytes. Text beyond Latin-1 has two bytes a character.
 */
export const MADE_OF_STORED = 6;

/** Stored bytes of a typical object with its references. */
const USUAL_ROOM = MB;

/** The result of work that did not have enough room. */
export class NeedsRoom {
  /** @param bytes stored bytes, which exceed the room */
  constructor(readonly bytes: number) {}
}

/** A response that is cut off. */
export interface CutResponse {
  readonly response: Response;
  /** A customer with less memory waits, or responses without a reservation exceed the limit. */
  readonly reason: 'another_waits' | 'too_much_of_customer' | 'too_much_of_all';
  /** Bytes that its client has not received. */
  readonly unread: number;
  /** How long the client has had the response, or the page of a stream. */
  readonly milliseconds: number;
}

/** The counted bytes of a stream without a reservation: a portion and its text. */
const STREAM_BYTES = 2 * MB;

/**
 * Milliseconds that a client has to receive what was sent, before it may be cut off because another customer waits. The
 * waiting customer waits three times as long.
 */
export const UNREAD_AFTER_MS = 1_000;

/** Milliseconds between checks for unread responses, while a customer waits for the memory of others. */
const SAMPLE_MS = 100;

/** Responses up to this size are not counted when they are written: a connection costs as much. */
const SMALL = 16 * 1024;

/**
 * Limits the memory of responses, by customer and in total, from before they are made until they are sent. A response
 * that is made of stored records reserves its bytes first, and waits for them. Any other response is counted when it is
 * written. If a response waits because clients do not read others, or if too much is written, the oldest unread
 * response of the owner with the most bytes is cut off. A response is unread while it lies in this process's buffers. A
 * response that is being made, or that its client has received, is not unread.
 */
@Injectable()
export class ResponseMemory {
  private readonly budget: ByteBudget;
  /** Responses being sent, by owner, oldest first. */
  private readonly sent = new Map<string, Set<SentResponse>>();
  /** The connection that was cut off last. */
  private cut: Socket | undefined;
  private nextCheck: NodeJS.Timeout | undefined;

  /** @param onCut called with each response before it is cut off */
  constructor(
    private readonly limits: ResponseLimits = ANSWER_LIMITS,
    private readonly onCut: (cut: CutResponse) => void = () => undefined,
  ) {
    this.budget = new ByteBudget(limits.made, () => this.makeRoom());
  }

  /** Bytes of all responses. */
  get used(): number {
    return this.budget.used;
  }

  /** Responses that wait for memory. */
  get waiting(): number {
    return this.budget.waiting;
  }

  /**
   * Waits for the maximum memory of making a response. The response holds it until it is sent, or reserves another
   * amount.
   *
   * @param waitLimitMs milliseconds
   * @throws Overloaded if too many responses wait, or this one waits too long; ClientGone if the client disconnects
   */
  async reserve(answer: PendingResponse, bytes: number, waitLimitMs?: number): Promise<void> {
    // A response that holds nothing while it waits cannot block another.
    answer.release();
    answer.hold(await this.acquire(answer.owner, bytes, answer.gone, waitLimitMs));
  }

  /**
   * Makes a response of stored objects whose size is unknown before they are read: first with room for a typical
   * object, and again if it needs more. It holds no connection while it waits for memory.
   *
   * @param work receives the stored bytes that it may read
   * @throws as {@link reserve} does, and what the work throws
   */
  async withRoom<Result>(
    answer: PendingResponse,
    work: (room: number) => Promise<Result | NeedsRoom>,
  ): Promise<Result> {
    for (let room = USUAL_ROOM; ;) {
      await this.reserve(answer, MADE_OF_STORED * room);
      const made = await work(room);
      if (!(made instanceof NeedsRoom)) return made;
      room = made.bytes;
    }
  }

  /**
   * Like {@link withRoom}, for work that several responses share. The work releases what it acquired, and the responses
   * retain it.
   */
  acquire(
    owner: string,
    bytes: number,
    signal: AbortSignal,
    waitLimitMs: number = WAIT_LIMIT_MS,
  ): Promise<Lease> {
    return this.budget.acquire(owner, bytes, signal, waitLimitMs);
  }

  /**
   * Counts a response that is written now, until it is sent or its connection is closed.
   *
   * @param bytes of the whole response; absent for a stream, which reserves each of its parts
   */
  count(response: Response, bytes?: number): void {
    if (response.destroyed) return;
    const answer = response.req.pendingResponse;
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

  private follow(owner: string, answer: SentResponse): void {
    const own = this.sent.get(owner) ?? new Set();
    this.sent.set(owner, own.add(answer));
    answer.response.once('close', () => {
      answer.lease?.release();
      own.delete(answer);
      if (own.size === 0 && this.sent.get(owner) === own) this.sent.delete(owner);
    });
  }

  /** Owners of responses being sent, those with the most bytes first. */
  private byUse(): readonly string[] {
    return [...this.sent.keys()].sort((one, other) => this.budget.usedBy(other) - this.budget.usedBy(one));
  }

  /** Cuts off unread responses if an owner with less memory waits. Repeats the check while it waits. */
  private makeRoom(): void {
    const waiting = this.budget.blockedOwner;
    if (waiting === undefined) return;
    const bytes = this.budget.usedBy(waiting);
    const larger = this.byUse().filter((owner) => owner !== waiting && this.budget.usedBy(owner) > bytes);
    this.cutOldest(larger, 'another_waits', UNREAD_AFTER_MS);
    this.nextCheck ??= setTimeout(() => {
      // After the bytes that clients received while the process was busy.
      setImmediate(() => {
        this.nextCheck = undefined;
        this.makeRoom();
      });
    }, SAMPLE_MS).unref();
  }

  /**
   * Cuts off the oldest unread response of the first owner that has one.
   *
   * @param least milliseconds for which it has been unread
   */
  private cutOldest(owners: readonly string[], reason: CutResponse['reason'], least = 0): void {
    // The memory of the last cut response is released when its connection has closed. No other is cut off before.
    if (this.cut?.closed === false) return;
    const now = performance.now();
    for (const owner of owners) {
      for (const answer of this.sent.get(owner) ?? []) {
        const { response, lease, countedAt } = answer;
        const since = lease === undefined ? response.req.pendingResponse?.heldSince : countedAt;
        const unread = response.writableLength;
        if (since === undefined || unread === 0 || now - since < least) continue;
        // A response queued behind others of its connection learns later that the connection has closed.
        if (response.req.socket.destroyed) return;
        this.onCut({ response, reason, unread, milliseconds: Math.floor(now - since) });
        this.cut = response.req.socket;
        // The connection and not the response: a response queued behind others has no connection yet.
        this.cut.destroy();
        return;
      }
    }
  }
}

/** A response on its way to its client. */
interface SentResponse {
  readonly response: Response;
  /** By `performance.now()`. */
  readonly countedAt: number;
  /** The bytes that were counted when it was written; undefined if it had reserved its memory. */
  readonly lease: Lease | undefined;
}
