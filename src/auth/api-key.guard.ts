import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { ApiError, invalidKey } from '../common/errors/api-error';
import type { KeyMode } from './api-key';
import { type Caller } from './caller';
import { CallerLookup } from './caller-lookup';
import { ONLY_WITH } from './only-with.decorator';
import { presentedHash } from './presented-key';
import { PUBLIC } from './public.decorator';

/**
 * Admits requests with a valid key and notes the caller. A revoked key is refused by every instance within a second; see
 * {@link CallerLookup}.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly callers: CallerLookup,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const handler = context.getHandler();
    if (this.reflector.get<boolean | undefined>(PUBLIC, handler) === true) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const mode = this.reflector.get<KeyMode | undefined>(ONLY_WITH, handler);
    const hash = presentedHash(request);
    if (hash === undefined) throw invalidKey();
    // The address is worked out of the proxies that a request came through, and mostly nobody asks.
    const caller = this.callers.find(hash, () => request.ip ?? '');
    // Mostly it is known already, and nothing has to be awaited.
    if (!(caller instanceof Promise)) return admit(request, caller, mode);
    return caller.then((found) => admit(request, found, mode));
  }
}

/** @throws ApiError AUTHENTICATION_ERROR, AUTHORIZATION_ERROR */
function admit(request: Request, caller: Caller | undefined, mode: KeyMode | undefined): true {
  if (caller === undefined) throw invalidKey();
  request.caller = caller;
  if (mode !== undefined && mode !== caller.mode) {
    throw new ApiError('AUTHORIZATION_ERROR', `Only a ${mode} key may do that`);
  }
  return true;
}
