import type { EntityType } from '../canonical/entity-type';
import { fieldsOf } from '../canonical/types';
import { businessKeyOf } from '../identity/business-key';
import { canonicalId } from '../identity/canonical-id';
import { setMember, type JsonObject, type JsonValue } from '../json/json-value';
import { stringifyJson } from '../json/json-text';
import type { Decoded } from '../mapping/decode';
import type { Mapping } from '../mapping/mapping';
import { MappingError } from '../mapping/mapping-error';
import { restToJson } from '../mapping/rest';
import type { Conversion } from '../money/convert';
import { mappingOf, variantsOf, type PlatformName } from '../platforms';
import { convertedAmounts } from './converted-amounts';
import { CONTRADICTION, KnownMappings } from './known-mappings';
import type { MapperContext } from './preview-context';
import { resolvePreviewReferences, type ReferenceReport } from './references';
import { targetRecord } from './target-record';

/** A record to translate. */
export interface PreviewRequest {
  readonly customerId: string;
  readonly source: PlatformName;
  readonly target: PlatformName;
  readonly entityType: EntityType;
  readonly payload: JsonObject;
  readonly context: MapperContext;
  /** Currency of a record that names none, when the context names none either. */
  readonly defaultCurrency: string;
}

/** The record in canonical form, and as the target would show it. */
export interface Preview {
  readonly canonical: JsonObject;
  readonly payload: JsonObject;
  /** Absent when the record carries no reference, or stays on its platform. */
  readonly references?: ReferenceReport;
  /** Present when amounts were converted. */
  readonly conversion?: Conversion;
}

/**
 * Translates one record without looking anything up.
 *
 * @throws MappingError naming the fields of `data` or `context` that stand in the way
 */
export function previewTranslation(request: PreviewRequest): Preview {
  const { customerId, source, target, entityType, payload, context, defaultCurrency } = request;
  const sourceMapping = sourceMappingFor(source, entityType, context);
  const currency = context.currency ?? defaultCurrency;
  const currencies = { inheritedCurrency: currency, localCurrency: currency };
  const decoded = sourceMapping.decode(payload, currencies);
  if (decoded.issues.length > 0) throw new MappingError(decoded.issues).within('data');

  const targetMapping = targetMappingFor(target, entityType, context, decoded.data);
  const mappings = new KnownMappings(context.mappings);
  const references = resolvePreviewReferences(customerId, source, target, decoded, targetMapping, mappings);
  const id = idOf(customerId, source, entityType, decoded, payload, mappings);
  const standing = mappings.recordOf(id, target);

  const converted = convertedAmounts(decoded, sourceMapping, context);
  if (source === target && converted === undefined) {
    return { canonical: canonicalOf(id, request, decoded, references.data), payload };
  }
  const written = targetRecord({
    decoded,
    data: converted?.data ?? decoded.data,
    sourceMapping,
    targetMapping,
    references: source === target ? undefined : references.targets,
    rest: source === target ? decoded.rest : context.rests[target],
    id: standing === CONTRADICTION ? undefined : standing,
    inheritedCurrency: currency,
  });
  // What the target cannot give back as it was is kept for the way back, which needs nothing else then.
  const shown = targetMapping.decode(written, {
    ...currencies,
    inheritedCurrency: converted ? converted.conversion.to : currency,
  });
  const { rest } = sourceMapping.decode(payload, currencies, shown.data);
  const canonical = canonicalOf(id, request, { ...decoded, rest }, references.data);
  const report = references.report;
  const carries = report.resolved.length + report.unresolved.length > 0;
  return {
    canonical,
    payload: written,
    ...(source !== target && carries && { references: report }),
    ...(converted && { conversion: converted.conversion }),
  };
}

function sourceMappingFor(source: PlatformName, entityType: EntityType, { variant }: MapperContext): Mapping {
  const variants = variantsOf(source, entityType);
  if (variants === undefined) return mappingOf(source, entityType);
  return mappingOf(source, entityType, {
    variant: listedVariant(Object.keys(variants.variants), variant, 'context.commitmentType'),
  });
}

// What the caller says; else what the record was when an earlier answer told of it; else what its data calls for.
function targetMappingFor(
  target: PlatformName,
  entityType: EntityType,
  { variant, rests }: MapperContext,
  data: JsonObject,
): Mapping {
  const variants = variantsOf(target, entityType);
  const said = variant ?? rests[target]?.variant;
  if (variants === undefined || said === undefined) return mappingOf(target, entityType, { data });
  const path =
    variant === undefined ? `context.provider_metadata.${target}.variant` : 'context.commitmentType';
  return mappingOf(target, entityType, {
    variant: listedVariant(Object.keys(variants.variants), said, path),
  });
}

function listedVariant(names: readonly string[], variant: string | undefined, path: string): string {
  if (variant !== undefined && names.includes(variant)) return variant;
  throw new MappingError([{ path, problem: `expected one of ${names.join(', ')}` }]);
}

// The same ID that a connect would store: what the caller knows it by, else its key, its native ID, its content.
function idOf(
  customerId: string,
  source: PlatformName,
  entityType: EntityType,
  { nativeId, data }: Decoded,
  payload: JsonObject,
  mappings: KnownMappings,
): string {
  const known = nativeId === undefined ? undefined : mappings.objectOf(entityType, source, nativeId);
  if (known !== undefined && known !== CONTRADICTION) return known;
  const key = businessKeyOf(entityType, data);
  if (key !== undefined) return canonicalId(customerId, entityType, { kind: 'key', key: key.normal });
  if (nativeId !== undefined)
    return canonicalId(customerId, entityType, { kind: 'native', platform: source, nativeId });
  return canonicalId(customerId, entityType, {
    kind: 'payload',
    payload: `${source} ${stringifyJson(payload)}`,
  });
}

function canonicalOf(
  id: string,
  { source, entityType, context: { variant } }: PreviewRequest,
  decoded: Decoded,
  references: Readonly<Record<string, string | null>>,
): JsonObject {
  const canonical: Record<string, JsonValue> = { id, object: entityType };
  for (const [field, { refersTo }] of Object.entries(fieldsOf(entityType))) {
    const value = refersTo === undefined ? decoded.data[field] : references[field];
    if (value !== undefined) canonical[field] = value;
  }
  const externalIds: Record<string, JsonValue> = {};
  if (decoded.nativeId !== undefined) setMember(externalIds, source, decoded.nativeId);
  canonical.external_ids = externalIds;
  const hasVariants = variantsOf(source, entityType) !== undefined;
  canonical.provider_metadata = {
    [source]: restToJson({ ...decoded.rest, ...(hasVariants && variant !== undefined && { variant }) }),
  };
  return canonical;
}
