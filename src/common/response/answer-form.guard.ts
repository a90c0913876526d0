import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { BARE } from './bare.decorator';

declare module 'express-serve-static-core' {
  interface Request {
    /** The handler's result is the whole answer, see {@link Bare}. */
    isBare?: boolean;
  }
}

/** Notes of each request what its route says of the answer, for {@link Answers}, which does not know the route. */
@Injectable()
export class AnswerFormGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): true {
    const isBare = this.reflector.get<boolean | undefined>(BARE, context.getHandler());
    context.switchToHttp().getRequest<Request>().isBare = isBare;
    return true;
  }
}
