import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { KeyMode } from '../keys/api-key';
import type { Permission } from '../keys/permissions';
import type { Customer } from '../customers/customer';

/** The caller of a request, and the key that it used. */
export interface Caller {
  readonly customer: Customer;
  readonly mode: KeyMode;
  readonly keyId: string;
  /** The permissions of the key. */
  readonly permissions: readonly Permission[];
}

declare module 'express-serve-static-core' {
  interface Request {
    /** Set by the key guard; absent on public routes. */
    caller?: Caller;
  }
}

/** The customer of the request's key. */
export const CurrentCustomer = createParamDecorator(
  (_: unknown, context: ExecutionContext): Customer => callerOf(context).customer,
);

/** The caller itself: its customer, and the key that it used. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller =>
  callerOf(context),
);

function callerOf(context: ExecutionContext): Caller {
  const { caller } = context.switchToHttp().getRequest<Request>();
  if (caller === undefined) throw new Error('A public route asks who is calling');
  return caller;
}
