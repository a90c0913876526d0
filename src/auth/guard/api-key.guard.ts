import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { ApiError, invalidKey } from '../../common/errors/api-error';
import { type Caller } from '../callers/caller';
import { CallerLookup } from '../callers/caller-lookup';
import { accessOf, type Access } from './access.decorators';
import { presentedHash } from './presented-key';

/**
 * Admits requests with a valid key that may call the route, and records the caller. Every instance refuses a revoked
 * key within a second; see {@link CallerLookup}.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly callers: CallerLookup,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = accessOf(this.reflector, context.getHandler());
    // A forgotten decorator must not open a route to everyone with a key.
    if (access === undefined) throw new Error('The route does not say who may call it');
    if (access.to === 'everyone') return true;
    const request = context.switchToHttp().getRequest<Request>();
    const hash = presentedHash(request);
    if (hash === undefined) throw invalidKey();
    // Computed on demand: Express derives the address from the proxies of the request, and most requests do not need
    // it.
    const caller = this.callers.find(hash, () => request.ip ?? '');
    // The caller is usually cached, so that no await is needed.
    if (!(caller instanceof Promise)) return admit(request, caller, access);
    return caller.then((found) => admit(request, found, access));
  }
}

/** @throws ApiError AUTHENTICATION_ERROR, AUTHORIZATION_ERROR */
function admit(request: Request, caller: Caller | undefined, access: Access): true {
  if (caller === undefined) throw invalidKey();
  request.caller = caller;
  const refusal = refusalOf(caller, access);
  if (refusal !== undefined) throw new ApiError('AUTHORIZATION_ERROR', refusal);
  return true;
}

/** Why a caller may not do what has such an access; undefined if it may. */
export function refusalOf({ mode, permissions }: Caller, access: Access): string | undefined {
  if (access.to === 'keys of a mode' && access.mode !== mode) return `Only a ${access.mode} key may do that`;
  if (access.to !== 'keys with permissions') return undefined;
  const missing = access.permissions.find((permission) => !permissions.includes(permission));
  return missing && `The key does not have the permission ${missing}`;
}
