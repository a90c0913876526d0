import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AddressLimit } from './address-limit';
import { RATE_LIMITED } from './rate-limited.decorator';

/** Limits the routes marked with RateLimited by the client's address. All other routes proceed without a wait. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limit: AddressLimit,
  ) {}

  /** @throws ApiError RATE_LIMIT_ERROR (by rejecting) */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const isLimited = this.reflector.get<boolean | undefined>(RATE_LIMITED, context.getHandler()) === true;
    return !isLimited || this.limit.canActivate(context);
  }
}
