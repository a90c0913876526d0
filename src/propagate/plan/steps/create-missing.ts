import type { CreationLevel, PlatformName, StoredEntityType } from '@app/mapper';

/** Types whose records are money: no change creates one that the request does not ask for. */
const createdOnRequest: ReadonlySet<StoredEntityType> = new Set(['contract', 'invoice', 'payment']);

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
  if (requested === true || level === 'always' || !createdOnRequest.has(entityType)) return undefined;
  return `${lacking}; a change creates one there only with "create_missing": true`;
}
