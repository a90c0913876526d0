import type { CreationLevel, PlatformName, StoredEntityType } from '@app/mapper';
import { typeTraits } from '../../../records/platform-records/type-traits';

/** What decides whether a platform that lacks a record gets it. */
export interface CreationPolicy {
  readonly entityType: StoredEntityType;
  /** `create_missing` of the request; it counts before the rule, except that `never` cannot be overruled. */
  readonly requested: boolean | undefined;
  /** The customer's rule. */
  readonly level: CreationLevel | undefined;
}

/** Why no change may create the record on a platform that lacks it; undefined if the change may. */
export function whyNotCreated(
  platform: PlatformName,
  { entityType, requested, level = 'ask' }: CreationPolicy,
): string | undefined {
  const lacking = `${platform} has no such ${entityType}`;
  if (level === 'never') return `${lacking}, and the customer’s rule create_missing is never`;
  if (requested === false) return `${lacking}, and the request says "create_missing": false`;
  if (requested === true || level === 'always' || !typeTraits[entityType].hasAmount) return undefined;
  return `${lacking}; a change creates one there only with "create_missing": true`;
}
