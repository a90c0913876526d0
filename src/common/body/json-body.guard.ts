import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import { parseJsonBody } from './json-body';
import { OWN_BODY } from './own-body.decorator';
import { tenantKeyOf } from '../request/tenant-key';
import { RequestBodies } from './request-bodies';

/**
 * Admits requests with a readable body, and reads it. It is the last guard, so that requests without a valid key are
 * not read and parsed. Pipes run after guards, so the DTO finds the parsed body.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly bodies: RequestBodies,
    private readonly eventLoop: EventLoopScheduler,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    if (request.method === 'GET' || request.method === 'HEAD') return true;
    if (this.reflector.get<boolean | undefined>(OWN_BODY, context.getHandler()) === true) return true;
    return this.read(request, context.switchToHttp().getResponse<Response>());
  }

  /** @throws ApiError 413, 408, 400; Overloaded if there is no room for a large body */
  private async read(request: Request, response: Response): Promise<true> {
    const tenant = tenantKeyOf(request);
    const bytes = await this.bodies.read(request, response, tenant, this.environment.bodyLimitBytes);
    // Bodies that arrive together are parsed in turns, …
    const turn = this.eventLoop.waitToContinue(tenant);
    if (turn !== undefined) await turn;
    request.body = parseJsonBody(bytes);
    // … and after a long parse the work continues in a later turn.
    const next = this.eventLoop.waitToContinue(tenant);
    if (next !== undefined) await next;
    return true;
  }
}
