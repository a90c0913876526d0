import { hash } from 'node:crypto';
import { inPrecedence, stringifyJson, type Disagreement, type PlatformName } from '@app/mapper';

/** The length of a version: of the 43 base64 characters of a SHA-256, the first 132 bits. */
const VERSION_LENGTH = 22;

// JSON text holds no control character.
const SEPARATOR = '\u001f';

/** Everything that determines an object's version. */
export interface VersionedState {
  /** The canonical object as JSON text. */
  readonly text: string;
  readonly records: readonly { readonly platform: PlatformName; readonly platform_id: string }[];
  /** At the terms agreed with the customer. */
  readonly disagreements: readonly Disagreement[];
  /** Whether all its records were deleted on their platforms. */
  readonly isDeleted: boolean;
}

/**
 * An opaque text that changes whenever the object, its mappings, its disagreements or its deletion change, also when a
 * related object or the terms cause the change. All ways to read the object give the same version. Pure.
 */
export function versionOf({ text, records, disagreements, isDeleted }: VersionedState): string {
  const parts = [
    text,
    JSON.stringify(mappingsOf(records)),
    disagreements.length === 0 ? '' : stringifyJson(disagreements),
    isDeleted ? 'deleted' : '',
  ];
  return hash('sha256', parts.join(SEPARATOR), 'base64url').slice(0, VERSION_LENGTH);
}

/** The platforms that have an object, in order of precedence, with its native IDs. */
export function mappingsOf(
  records: VersionedState['records'],
): readonly { readonly platform: PlatformName; readonly platform_id: string }[] {
  return inPrecedence(records).map(({ platform, platform_id }) => ({ platform, platform_id }));
}
