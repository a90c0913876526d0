import { SetMetadata } from '@nestjs/common';

export const BARE = 'http:bare';

/** The handler's result is the whole answer: no `data` is put around it. */
export const Bare = (): MethodDecorator => SetMetadata(BARE, true);
