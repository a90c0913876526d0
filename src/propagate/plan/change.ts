import {
  MappingError,
  ownMember,
  readMapperContext,
  type JsonObject,
  type PlatformName,
  type RateQuote,
  type StoredEntityType,
} from '@app/mapper';
import { ChangeRefused } from './refusal';

/** Which object a change is meant for. */
export type ChangeTarget =
  | { readonly format: 'canonical'; readonly canonicalId: string }
  | { readonly format: 'platform'; readonly platform: PlatformName; readonly platformId: string };

/** A change that somebody asks for. */
export interface Change {
  readonly entityType: StoredEntityType;
  readonly target: ChangeTarget;
  /** A JSON merge patch (RFC 7396) in canonical or native fields, as the target's format says. */
  readonly patch: JsonObject;
  /** What the caller adds to the patch: a rate for this change alone. */
  readonly context: JsonObject;
}

/**
 * The rate a change brings along. Of the context only this has a meaning here: everything else is known from the store.
 *
 * @throws ChangeRefused `untranslatable`, naming what is wrong with it
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
