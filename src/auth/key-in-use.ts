import { IsNull, Raw, type FindOptionsWhere } from 'typeorm';
import type { ApiKeyRow } from '../database/entities/api-key.entity';

/** Selects the valid keys: not revoked, and not expired by the database's clock. */
export function keysInUse(among: FindOptionsWhere<ApiKeyRow> = {}): FindOptionsWhere<ApiKeyRow>[] {
  const notRevoked = { ...among, revokedAt: IsNull() };
  return [
    { ...notRevoked, expiresAt: IsNull() },
    { ...notRevoked, expiresAt: Raw((column) => `${column} > now()`) },
  ];
}
