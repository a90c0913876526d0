import { SetMetadata } from '@nestjs/common';

export const RATE_LIMITED = 'http:rate-limited';

/** The route counts against its callers' addresses; all others are free. */
export const RateLimited = (): MethodDecorator => SetMetadata(RATE_LIMITED, true);
