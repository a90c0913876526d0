import {
  MappingError,
  ownMember,
  readMapperContext,
  type JsonObject,
  type PlatformName,
  type RateQuote,
  type StoredEntityType,
} from '@app/mapper';
import { ChangeRefused } from '../refusal';

/** The object of a change. */
export type ChangeTarget =
  | { readonly format: 'canonical'; readonly canonicalId: string }
  | { readonly format: 'platform'; readonly platform: PlatformName; readonly platformId: string };

/** A requested change. */
export interface Change {
  readonly entityType: StoredEntityType;
  readonly target: ChangeTarget;
  /** A JSON merge patch (RFC 7396) in canonical or native fields, as the target's format says. */
  readonly patch: JsonObject;
  /** The caller's addition to the patch: a rate for this change alone. */
  readonly context: JsonObject;
  /** Whether platforms that lack the record get it; undefined leaves it to the type and to the customer's rule. */
  readonly createMissing: boolean | undefined;
  readonly why: ChangeReason;
}

/** Why a change is made, and who decided it, in the caller's words. */
export interface ChangeReason {
  readonly reason?: string | undefined;
  readonly decidedBy?: string | undefined;
}

/**
 * The rate in a change's context. No other member of the context is used here, because everything else is read from the
 * database.
 *
 * @throws ChangeRefused `untranslatable`, naming the error
 */
export function quoteOf({ context }: Pick<Change, 'context'>): RateQuote | undefined {
  const exchangeRate = ownMember(context, 'exchangeRate');
  if (exchangeRate === undefined) return undefined;
  try {
    return readMapperContext({ exchangeRate }).exchangeRate;
  } catch (error) {
    if (error instanceof MappingError) throw new ChangeRefused('untranslatable', error.message);
    throw error;
  }
}
