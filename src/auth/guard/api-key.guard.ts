import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { ApiError, invalidKey } from '../../common/errors/api-error';
import type { KeyMode } from '../keys/api-key';
import { type Caller } from '../callers/caller';
import { CallerLookup } from '../callers/caller-lookup';
import { ONLY_WITH } from './only-with.decorator';
import { presentedHash } from './presented-key';
import { PUBLIC } from './public.decorator';

/**
 * Admits requests with a valid key and records the caller. Every instance refuses a revoked key within a second; see
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
    // Computed on demand: Express derives the address from the proxies of the request, and most requests do not need
    // it.
    const caller = this.callers.find(hash, () => request.ip ?? '');
    // The caller is usually cached, so that no await is needed.
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
