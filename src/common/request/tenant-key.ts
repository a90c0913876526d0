import type { Request } from 'express';

/** The tenant whose time and memory a request takes: its customer's ID once the key is known, otherwise its address. */
export function tenantKeyOf(request: Request): string {
  return request.caller?.customer.id ?? request.ip ?? '';
}
