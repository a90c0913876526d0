import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import { BYPASS_ADMISSION } from './bypass-admission.decorator';
import { tenantKeyOf } from '../request/tenant-key';

/**
 * Lets a request proceed when it is its caller's turn. The guard runs after the key's guard, so that the caller is
 * known, and before the body is read, which is the most expensive step.
 */
@Injectable()
export class FairTurnGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly eventLoop: EventLoopScheduler,
  ) {}

  /** @throws Overloaded if too many requests wait, or this one waits too long */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (this.reflector.get<boolean | undefined>(BYPASS_ADMISSION, context.getHandler()) === true) return true;
    const request = context.switchToHttp().getRequest<Request>();
    if (request.refusedTurn !== undefined) throw request.refusedTurn;
    const tenant = tenantKeyOf(request);
    if (request.turnOf === tenant) return true; // See RequestAdmission.
    const turn = this.eventLoop.waitToBegin(tenant);
    return turn === undefined || turn.then(() => true);
  }
}
