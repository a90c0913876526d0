import { SetMetadata } from '@nestjs/common';

export const BARE = 'http:bare';

/** Sends the handler's result without the envelope `data`. */
export const Bare = (): MethodDecorator => SetMetadata(BARE, true);
