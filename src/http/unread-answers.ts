import { Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';

/** Bytes of answers that may wait for their readers: of one client, and of all. */
export const MAX_UNREAD = { each: 32 * 1024 * 1024, all: 128 * 1024 * 1024 } as const;

/** What is reckoned for an answer that is written piece by piece: a page of records and its text. */
export const STREAM_BYTES = 2 * 1024 * 1024;

/** Answers up to this size are not counted: a connection costs as much. */
const SMALL = 16 * 1024;

/**
 * Bounds the memory of answers that their clients do not read. Where a client has too much of them, or all have, the
 * oldest answer of whoever holds most is cut off; a client that reads has its answer long before.
 */
@Injectable()
export class UnreadAnswers {
  private readonly owners = new Map<string, Owner>();
  private total = 0;

  constructor(private readonly limits: { readonly each: number; readonly all: number } = MAX_UNREAD) {}

  /**
   * Counts an answer from now until it is out or its connection is closed.
   *
   * @param owner whose it is: a customer's ID, or an address
   */
  count(owner: string, response: ServerResponse, bytes: number): void {
    if (bytes <= SMALL || response.destroyed) return;
    const own = this.owners.get(owner) ?? new Owner();
    this.owners.set(owner, own);
    own.add(response, bytes);
    this.total += bytes;
    const forget = (): void => {
      this.total -= own.remove(response);
      if (own.bytes === 0 && this.owners.get(owner) === own) this.owners.delete(owner);
    };
    response.once('finish', forget);
    response.once('close', forget);
    if (own.bytes > this.limits.each) own.cutOldest();
    if (this.total > this.limits.all) this.largest()?.cutOldest();
  }

  private largest(): Owner | undefined {
    return [...this.owners.values()].reduce<Owner | undefined>(
      (most, owner) => (most === undefined || owner.bytes > most.bytes ? owner : most),
      undefined,
    );
  }
}

class Owner {
  bytes = 0;
  private readonly answers = new Map<ServerResponse, number>();

  add(response: ServerResponse, bytes: number): void {
    this.answers.set(response, bytes);
    this.bytes += bytes;
  }

  remove(response: ServerResponse): number {
    const bytes = this.answers.get(response) ?? 0;
    this.answers.delete(response);
    this.bytes -= bytes;
    return bytes;
  }

  cutOldest(): void {
    const [oldest] = this.answers.keys();
    oldest?.destroy();
  }
}
