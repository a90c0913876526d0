import type { Request } from 'express';

/** Whose time and memory a request takes: its customer's ID once the key is known, else its address. */
export function tenantKeyOf(request: Request): string {
  return request.caller?.customer.id ?? request.ip ?? '';
}
