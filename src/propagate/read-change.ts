import { findUnstorableText, mappingOf, nativeIdFrom } from '@app/mapper';
import { invalidInput } from '../common/errors/api-error';
import type { Change, ChangeTarget } from './plan/intent/change';
import { refuseUnknownFields } from './plan/intent/canonical-intent';
import { refuseFixedFields } from './plan/intent/native-patch';
import type { PropagateDto } from './propagate.dto';

/**
 * Reads a change from a validated body. What can be refused without looking at the object is refused here, so that a
 * 400 comes before a 404.
 *
 * @throws ApiError VALIDATION_ERROR for text that cannot be stored
 * @throws ChangeRefused `not_writable` naming each read-only or unknown field, and for more values than one change may set
 */
export function readChange(body: PropagateDto): Change {
  const target = targetOf(body);
  if (target.format === 'canonical') refuseUnknownFields(body.entity_type, body.data);
  else refuseFixedFields(target.platform, mappingOf(target.platform, body.entity_type), body.data);
  // Last, since the number of values is bounded by then.
  const unstorable = findUnstorableText(body.data, 'data');
  if (unstorable !== undefined) {
    throw invalidInput([`${unstorable} must not contain a NUL character or half of a surrogate pair`]);
  }
  return {
    entityType: body.entity_type,
    target,
    patch: body.data,
    context: body.context ?? {},
    createMissing: body.create_missing,
    why: { reason: body.reason, decidedBy: body.decided_by },
  };
}

function targetOf({ format, canonical_id, platform, platform_id }: PropagateDto): ChangeTarget {
  if (format === 'canonical' && canonical_id !== undefined) return { format, canonicalId: canonical_id };
  if (format === 'platform' && platform !== undefined && platform_id !== undefined) {
    return { format, platform, platformId: nativeIdFrom(platform, platform_id) };
  }
  throw new Error('The body was not validated');
}
