import { mappingOf, ownMember } from '@app/mapper';
import type { SimulatedWrite } from '../behaviour';

/**
 * Why the platform locks a record: an accounting system has put its own ID on it. The accounting system's fields of a payment
 * can still be changed.
 */
export function lockOnPlatformA({
  entityType,
  variant,
  current,
  changes,
}: SimulatedWrite): string | undefined {
  const { lockWords, fields } = mappingOf('platform_a', entityType, { variant }).resource;
  const origin = current && ownMember(current, 'origin_id');
  if (lockWords === undefined || typeof origin !== 'string' || origin === '') return undefined;
  const isFree = changes.every(({ path }) => fields.get(path.join('.'))?.freeWhen === 'synced');
  return isFree ? undefined : lockWords;
}
