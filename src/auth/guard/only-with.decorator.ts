import { SetMetadata } from '@nestjs/common';
import type { KeyMode } from '../keys/api-key';

export const ONLY_WITH = 'auth:only-with';

/** Restricts the route to keys of one mode. Other requests get 403 before their body is read. */
export const OnlyWith = (mode: KeyMode): MethodDecorator => SetMetadata(ONLY_WITH, mode);
