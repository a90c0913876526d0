import type { OwnFields } from '../canonical/own-fields';
import { canonicalId } from '../identity/canonical-id';
import { parseJsonText, stringifyJson } from '../json/json-text';
import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '../json/json-value';
import { previewTranslation, type Preview } from '../preview/preview';
import { readMapperContext } from '../preview/preview-context';
import type { NamedMapping } from './all-mappings';

/** The customer of every preview here. */
export const customerId = '0b8f6f0e-52a3-4f0c-9d3e-0a4f9b3a7c11';

/** What a store or a client gives back: the same object, from text. */
export function throughText(value: JsonObject): JsonObject {
  const read = parseJsonText(stringifyJson(value));
  if (!isJsonObject(read)) throw new Error('an object must read as one');
  return read;
}

/** A preview as the HTTP interface makes it, context and all. */
export function previewed(
  one: Pick<NamedMapping, 'platform' | 'entityType'>,
  other: Pick<NamedMapping, 'platform'>,
  payload: JsonObject,
  context: JsonObject = {},
  own?: OwnFields,
): Preview {
  return previewTranslation({
    customerId,
    source: one.platform,
    target: other.platform,
    entityType: one.entityType,
    payload,
    context: readMapperContext(throughText(context)),
    defaultCurrency: 'USD',
    own,
  });
}

/** Where a record went, and what came back of it with its `provider_metadata` handed back. */
export interface RoundTrip {
  readonly there: Preview;
  readonly back: Preview;
}

/** Takes a record to another platform and back; `edit` changes it on the way. */
export function roundTrip(
  one: NamedMapping,
  other: NamedMapping,
  payload: JsonObject,
  contexts: { readonly there?: JsonObject; readonly back?: JsonObject } = {},
  edit: (payload: JsonObject) => JsonObject = (same) => same,
): RoundTrip {
  const variant = one.variant ?? other.variant;
  const named: JsonObject = variant === undefined ? {} : { commitmentType: variant };
  const there = previewed(one, other, payload, { ...named, ...contexts.there }, one.mapping.own);
  const context = {
    // The kept residue says by itself which variant the record was; only a record of platform_a must say it anew.
    ...(other.variant === undefined ? {} : named),
    ...contexts.back,
    provider_metadata: metadataOf(there),
  };
  const back = previewed(other, one, edit(throughText(there.payload)), context, one.mapping.own);
  return { there, back };
}

/** What a preview's canonical form keeps for the way back. */
export function metadataOf({ canonical }: Preview): JsonValue {
  return ownMember(canonical, 'provider_metadata') ?? null;
}

/** Mapping rows that name every record a payload refers to on the other platform too, and the record itself. */
export function rowsFor(one: NamedMapping, other: NamedMapping, payload: JsonObject): readonly JsonObject[] {
  const decoded = one.mapping.decode(payload, { inheritedCurrency: 'USD', localCurrency: 'USD' });
  const named = Object.values(decoded.references).flatMap((references) =>
    references
      .filter(({ by }) => by === 'id')
      .map(({ refersTo, value }) => ({ entityType: refersTo, value })),
  );
  const self =
    decoded.nativeId === undefined ? [] : [{ entityType: one.entityType, value: decoded.nativeId }];
  return [...named, ...self].flatMap(({ entityType, value }) => {
    const id = canonicalId(customerId, entityType, {
      kind: 'native',
      platform: one.platform,
      nativeId: value,
    });
    return [
      { canonical_id: id, platform: one.platform, platform_id: value },
      { canonical_id: id, platform: other.platform, platform_id: idOn(other, id) },
    ];
  });
}

// A native ID in the other platform's form. It is made of the canonical ID, so that each record has its own.
function idOn({ mapping }: NamedMapping, id: string): string {
  const digits = id.replace(/^[a-z]+_/, '');
  if (mapping.options.id.schema.format !== 'uuid') return String(1 + parseInt(digits.slice(0, 12), 16));
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20, 32),
  ].join('-');
}
