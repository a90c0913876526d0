import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { ApiError } from '../errors/api-error';
import { keyFromHeader, type KeyMode } from './api-key';
import { ApiKeysService } from './api-keys.service';
import { ONLY_WITH } from './only-with.decorator';
import { PUBLIC } from './public.decorator';

/**
 * Admits requests with a valid key and notes the caller. Each request looks its key up, so revoking a key works at once, on
 * every instance.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly apiKeys: ApiKeysService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.reflector.get<boolean | undefined>(PUBLIC, context.getHandler()) === true) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const key = keyFromHeader(request.headersDistinct.authorization);
    const caller = key === undefined ? undefined : await this.apiKeys.findCaller(key);
    if (caller === undefined) throw invalidKey();
    request.caller = caller;

    const mode = this.reflector.get<KeyMode | undefined>(ONLY_WITH, context.getHandler());
    if (mode !== undefined && mode !== caller.mode) {
      throw new ApiError('AUTHORIZATION_ERROR', `Only a ${mode} key may do that`);
    }
    return true;
  }
}

/** The one answer to a missing, malformed, unknown, revoked or expired key. */
export function invalidKey(): ApiError {
  return new ApiError('AUTHENTICATION_ERROR', 'Invalid or missing API key', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}
