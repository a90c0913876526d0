import {
  mappingOf,
  type CreationLevel,
  type OwnFields,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import type { CaseKind } from '../../../records/events/case-kinds';
import type { CaseFacts } from './case-facts';
import type { NamedObject } from '../../../records/objects/object-names.repository';

/**
 * The ways to settle a case: a change through this service, a decision about which records are the same, a change on
 * the platform that the service cannot make, or none of these, such as a rate that must be agreed.
 */
export const settledBys = ['propagate', 'decision', 'platform', 'none'] as const;
export type SettledBy = (typeof settledBys)[number];

/** How a case can be settled, and where. */
export interface Settlement {
  readonly by: SettledBy;
  /** The canonical field that is written; the native path of a value that cannot be read. */
  readonly field?: string;
  /** Whether a change may write there, by platform; if not, why. */
  readonly writable: Readonly<Partial<Record<PlatformName, true | string>>>;
}

/** The facts about a case that determine its settlement. */
export interface SettledCase {
  readonly kind: CaseKind;
  readonly entityType: StoredEntityType;
  readonly left: PlatformName;
  readonly right: PlatformName;
  /** Of a case of one record. */
  readonly platform: PlatformName | null;
  readonly field: string | null;
  readonly missingOn: PlatformName | undefined;
  readonly isClosed: boolean;
  /** Why a value is missing or cannot be compared. */
  readonly problem: string | undefined;
  /** The objects to which the record refers, by canonical field, if they are known. */
  readonly parents: Readonly<Record<string, Pick<NamedObject, 'platforms'> | undefined>>;
  readonly facts: Pick<CaseFacts, 'places' | 'lines' | 'lacks' | 'dates'>;
}

/** The further facts that determine a settlement. */
export interface SettlingTerms {
  /** Platforms that are read themselves; others are sandboxes. */
  readonly live: ReadonlySet<PlatformName>;
  /** The customer's rule about records that a platform lacks. */
  readonly createMissing: CreationLevel | undefined;
  /** The customer's own fields. */
  readonly own?: OwnFields | undefined;
}

/**
 * How a case can be settled. The mapper's descriptions of the platforms' resources determine which fields can be
 * written. Locks of single records are not known here; a dry run of the change shows them. Pure.
 */
export function settlementOf(one: SettledCase, terms: SettlingTerms): Settlement {
  const { kind, left, right, platform, field, missingOn, facts } = one;
  if (one.isClosed) return { by: 'none', writable: {} };
  if (facts.dates !== undefined) return byField(one, terms, facts.dates, [left, right]);
  switch (kind) {
    case 'ambiguous':
      return { by: 'decision', writable: {} };
    case 'only_on':
      return missingOn === undefined ? { by: 'platform', writable: {} } : byCreation(one, terms, missingOn);
    case 'unreadable':
      return byField(one, terms, field, platform === null ? [left, right] : [platform]);
    case 'disagreement':
    case 'other_project':
      return byField(one, terms, field, [left, right]);
    case 'not_comparable':
      // A currency that does not exist is set right on its platform. All else compares as soon as a rate is agreed.
      return { by: one.problem === undefined ? 'none' : 'platform', writable: {} };
  }
}

function byCreation(
  { entityType, facts, parents }: SettledCase,
  { createMissing }: SettlingTerms,
  missing: PlatformName,
): Settlement {
  const required = mappingOf(missing, entityType).requiredToCreate;
  const apart = Object.entries(parents)
    .filter(([field, parent]) => required.includes(field) && parent?.platforms.includes(missing) === false)
    .map(([field]) => field);
  const lacks = [...new Set([...facts.lacks, ...apart])];
  const why =
    createMissing === 'never'
      ? 'the customer’s rule create_missing is never'
      : lacks.length > 0
        ? `to be created on ${missing} the ${entityType} needs ${lacks.join(', ')}`
        : undefined;
  return { by: why === undefined ? 'propagate' : 'platform', writable: { [missing]: why ?? true } };
}

function byField(
  one: SettledCase,
  terms: SettlingTerms,
  field: string | null,
  platforms: readonly PlatformName[],
): Settlement {
  if (field === null) return { by: 'platform', writable: {} };
  const writable: Partial<Record<PlatformName, true | string>> = {};
  for (const platform of platforms) {
    writable[platform] = whyNotWritten(one, terms, platform, field) ?? true;
  }
  const isAny = Object.values(writable).includes(true);
  return { by: isAny ? 'propagate' : 'platform', field, writable };
}

/** Why a change cannot write a field of the record on a platform; undefined if it can. */
function whyNotWritten(
  { kind, entityType, facts }: SettledCase,
  { live, own }: SettlingTerms,
  platform: PlatformName,
  field: string,
): string | undefined {
  const mapping = mappingOf(platform, entityType, { variant: facts.places[platform]?.variant, own });
  // A value that cannot be read is named by its native path.
  const [canonical = field] =
    kind === 'unreadable' && mapping.accessTo(field) === undefined
      ? mapping.fieldsAt([field.split('.')])
      : [field];
  if (mapping.accessTo(canonical) === undefined) return `${platform} has no field for ${field}`;
  const why = mapping.whyNotChanged(canonical, live.has(platform));
  if (why !== undefined)
    return why === '' ? `${platform} does not let ${field} be written` : `${field} ${why}`;
  const lines = facts.lines[platform];
  return lines === undefined
    ? undefined
    : `${field} is the sum of ${lines} lines on ${platform}; change those there`;
}
