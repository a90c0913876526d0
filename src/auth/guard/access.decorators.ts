import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { KeyMode } from '../keys/api-key';
import type { Permission } from '../keys/permissions';

/** Who may call a route. Each route declares it; the guard refuses every request to a route that does not. */
export type Access =
  | { readonly to: 'everyone' }
  | { readonly to: 'any key' }
  | { readonly to: 'keys of a mode'; readonly mode: KeyMode }
  | { readonly to: 'keys with permissions'; readonly permissions: readonly Permission[] };

export const ACCESS = 'auth:access';

const grant = (access: Access): MethodDecorator => SetMetadata(ACCESS, access);

/** The route needs no key. */
export const Public = (): MethodDecorator => grant({ to: 'everyone' });

/** The route takes any valid key, whatever its permissions. */
export const AnyKey = (): MethodDecorator => grant({ to: 'any key' });

/** Restricts the route to keys of one mode. Other requests get 403 before their body is read. */
export const OnlyWith = (mode: KeyMode): MethodDecorator => grant({ to: 'keys of a mode', mode });

/** Restricts the route to keys with all of the permissions. Other requests get 403 before their body is read. */
export const Requires = (...permissions: readonly [Permission, ...Permission[]]): MethodDecorator =>
  grant({ to: 'keys with permissions', permissions });

/** Who may call the route of a handler; undefined if its decorators do not say so. */
export function accessOf(
  reflector: Reflector,
  handler: ReturnType<ExecutionContext['getHandler']>,
): Access | undefined {
  return reflector.get<Access | undefined>(ACCESS, handler);
}
