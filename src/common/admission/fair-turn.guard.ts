import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { LoopTime } from '../../runtime/fairness/loop-time';
import { OUT_OF_TURN } from './out-of-turn.decorator';
import { partyOf } from '../request/party';

/**
 * Lets a request go on when its caller's turn has come. It stands behind the key, so that the caller is known, and before the
 * body, which costs most.
 */
@Injectable()
export class FairTurnGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly loopTime: LoopTime,
  ) {}

  /** @throws Overloaded when too much waits before it, or for too long */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (this.reflector.get<boolean | undefined>(OUT_OF_TURN, context.getHandler()) === true) return true;
    const request = context.switchToHttp().getRequest<Request>();
    if (request.refusedTurn !== undefined) throw request.refusedTurn;
    const party = partyOf(request);
    if (request.turnOf === party) return true; // See Entrance.
    const turn = this.loopTime.turnToBegin(party);
    return turn === undefined || turn.then(() => true);
  }
}
