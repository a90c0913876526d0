import { mappingOf, ownMember } from '@app/mapper';
import type { SimulatedWrite } from '../behaviour';

/**
 * Why the platform does not let a record be changed: an accounting system has put its own ID on it. Of a payment it may still
 * change what belongs to it.
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
