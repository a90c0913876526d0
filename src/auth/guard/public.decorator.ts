import { SetMetadata } from '@nestjs/common';

export const PUBLIC = 'auth:public';

/** The route needs no key. */
export const Public = (): MethodDecorator => SetMetadata(PUBLIC, true);
