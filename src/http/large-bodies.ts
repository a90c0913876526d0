import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Admission } from '../fairness/admission';
import { ClientGone } from './client-gone';
import { partyOf } from './party';

/** Bytes of a body that needs no place: its connection costs as much. */
export const SMALL_BODY = 64 * 1024;

/** Large bodies that are in memory at the same time. A customer has at most a third of the places. */
export const LARGE_BODIES = 24;

/**
 * Bounds the memory of bodies and of what is parsed from them. A large body is not read before there is a place for it; until
 * then it stays with its client.
 */
@Injectable()
export class LargeBodies {
  private readonly places = new Admission(LARGE_BODIES);

  /**
   * Waits for a place, which the request keeps until its answer is out; undefined for a body that needs none.
   *
   * @throws Overloaded (by rejecting) when too many wait, or for too long; ClientGone when the client leaves
   */
  placeFor(request: Request, response: Response): Promise<void> | undefined {
    return mayBeLarge(request) ? this.enter(partyOf(request), response) : undefined;
  }

  private async enter(customerId: string, response: Response): Promise<void> {
    const gone = new AbortController();
    const giveUp = (): void => gone.abort(new ClientGone());
    response.once('close', giveUp);
    const leave = await this.places.place({ customerId, kind: 'short' }, gone.signal);
    response.off('close', giveUp);
    response.once('close', leave);
  }
}

/** A body that is compressed, or does not say how long it is, may be of any length. */
function mayBeLarge({ headers }: Request): boolean {
  if (headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined) return true;
  return Number(headers['content-length'] ?? 0) > SMALL_BODY;
}
