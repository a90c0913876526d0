import { Injectable, type ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import { ApiError } from '../errors/api-error';

/**
 * Counts the requests of each address. ThrottlerGuard treats an IPv4 address in IPv6 notation as the IPv4 address, and
 * counts IPv6 addresses by their /64, which is what one client usually owns.
 */
@Injectable()
export class AddressLimit extends ThrottlerGuard {
  protected override getTracker(request: { readonly ip?: string }): Promise<string> {
    return super.getTracker({ ip: withoutPort(request.ip ?? '') });
  }

  protected override throwThrottlingException(
    _context: ExecutionContext,
    { timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<void> {
    throw new ApiError(
      'RATE_LIMIT_ERROR',
      `Too many requests from this address; retry in ${timeToBlockExpire} s`,
      {
        headers: { 'Retry-After': String(timeToBlockExpire) },
      },
    );
  }
}

/**
 * Some proxies write the client's port into X-Forwarded-For. With the port, each connection would count as another
 * client.
 */
export function withoutPort(address: string): string {
  return (
    /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? address
  );
}
