import { IsNull, Raw, type FindOptionsWhere } from 'typeorm';
import type { ApiKeyRow } from '../database/entities/api-key.entity';

/** Selects the keys that open something: not revoked, and without an end or before it by the database's clock. */
export function keysInUse(among: FindOptionsWhere<ApiKeyRow> = {}): FindOptionsWhere<ApiKeyRow>[] {
  const notRevoked = { ...among, revokedAt: IsNull() };
  return [
    { ...notRevoked, expiresAt: IsNull() },
    { ...notRevoked, expiresAt: Raw((column) => `${column} > now()`) },
  ];
}
