import { SetMetadata } from '@nestjs/common';

export const RATE_LIMITED = 'http:rate-limited';

/** Limits the route by the client's address. Other routes have no limit. */
export const RateLimited = (): MethodDecorator => SetMetadata(RATE_LIMITED, true);
