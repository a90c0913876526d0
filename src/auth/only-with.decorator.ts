import { SetMetadata } from '@nestjs/common';
import type { KeyMode } from './api-key';

export const ONLY_WITH = 'auth:only-with';

/** The route takes keys of one mode only; others get 403, before their body is looked at. */
export const OnlyWith = (mode: KeyMode): MethodDecorator => SetMetadata(ONLY_WITH, mode);
