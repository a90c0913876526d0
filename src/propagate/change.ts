import {
  findUnstorableText,
  mappingOf,
  MappingError,
  ownMember,
  readMapperContext,
  type JsonObject,
  type PlatformName,
  type RateQuote,
  type StoredEntityType,
} from '@app/mapper';
import { ApiError, invalidInput } from '../errors/api-error';
import { refuseUnknownFields } from './intent';
import { refuseFixedFields } from './native-patch';
import type { PropagateDto } from './propagate.dto';

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
  /** What the caller tells beside the patch: a rate for this change alone. */
  readonly context: JsonObject;
}

/**
 * Reads a change from a validated body. What can be refused without looking at the object is refused here, so that a
 * 400 comes before a 404.
 *
 * @throws ApiError VALIDATION_ERROR for text that cannot be stored, and for fields that nobody may write
 */
export function readChange(body: PropagateDto): Change {
  const unstorable = findUnstorableText(body.data, 'data');
  if (unstorable !== undefined) {
    throw invalidInput([`${unstorable} must not contain a NUL character or half of a surrogate pair`]);
  }
  const target = targetOf(body);
  if (target.format === 'canonical') refuseUnknownFields(body.entity_type, body.data);
  else refuseFixedFields(target.platform, mappingOf(target.platform, body.entity_type), body.data);
  return { entityType: body.entity_type, target, patch: body.data, context: body.context ?? {} };
}

function targetOf({ format, canonical_id, platform, platform_id }: PropagateDto): ChangeTarget {
  if (format === 'canonical' && canonical_id !== undefined) return { format, canonicalId: canonical_id };
  if (format === 'platform' && platform !== undefined && platform_id !== undefined) {
    return { format, platform, platformId: platform_id };
  }
  throw new Error('The body was not validated');
}

/**
 * The rate a change brings along. Of the context only this has a meaning here: everything else is known from the store.
 *
 * @throws ApiError TRANSFORM_ERROR naming what is wrong with it
 */
export function quoteOf({ context }: Change): RateQuote | undefined {
  const exchangeRate = ownMember(context, 'exchangeRate');
  if (exchangeRate === undefined) return undefined;
  try {
    return readMapperContext({ exchangeRate }).exchangeRate;
  } catch (error) {
    if (error instanceof MappingError) throw new ApiError('TRANSFORM_ERROR', error.message, { cause: error });
    throw error;
  }
}
