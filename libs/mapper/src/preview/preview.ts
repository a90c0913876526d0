import type { EntityType } from '../canonical/entity-type';
import { fieldsOf } from '../canonical/types';
import { businessKeyOf } from '../identity/business-key';
import { canonicalId } from '../identity/canonical-id';
import { setMember, type JsonObject, type JsonValue } from '../json/json-value';
import { stringifyJson } from '../json/json-text';
import type { Decoded, Mapping } from '../mapping/mapping';
import { MappingError } from '../mapping/mapping-error';
import { restToJson } from '../mapping/rest';
import { conversionAt, convert, type Conversion } from '../money/convert';
import { findRate } from '../money/exchange-rates';
import { AmountError, isMoney } from '../money/money';
import { mappingOf, variantsOf, type PlatformName } from '../platforms';
import { assignAt } from '../json/json-path';
import type { KnownMapping, MapperContext } from './preview-context';
import { resolvePreviewReferences, type ReferenceReport } from './references';

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
  const decoded = sourceMapping.decode(payload, { inheritedCurrency: currency, localCurrency: currency });
  if (decoded.issues.length > 0) throw new MappingError(decoded.issues).within('data');

  const targetMapping = targetMappingFor(target, entityType, context, decoded.data);
  const references = resolvePreviewReferences(customerId, source, target, decoded, targetMapping, context.mappings);
  const id = idOf(customerId, source, entityType, decoded, payload, context.mappings);

  const converted = convertAmounts(entityType, decoded, sourceMapping, context);
  if (source === target && converted === undefined) {
    return { canonical: canonicalOf(id, entityType, source, decoded, references.data), payload };
  }
  const written = writeTarget(request, decoded, converted?.data ?? decoded.data, sourceMapping, targetMapping, {
    ...(source !== target && { references: references.targets }),
    id: context.mappings.find((row) => row.canonicalId === id && row.platform === target)?.platformId,
  });
  // What the target cannot give back as it was is kept for the way back, which needs nothing else then.
  const shown = targetMapping.decode(written, { inheritedCurrency: currency, localCurrency: currency });
  const { rest } = sourceMapping.decode(payload, { inheritedCurrency: currency, localCurrency: currency }, shown.data);
  const canonical = canonicalOf(id, entityType, source, { ...decoded, rest }, references.data);
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
  return mappingOf(source, entityType, { variant: listedVariant(Object.keys(variants.variants), variant) });
}

function targetMappingFor(
  target: PlatformName,
  entityType: EntityType,
  { variant }: MapperContext,
  data: JsonObject,
): Mapping {
  const variants = variantsOf(target, entityType);
  if (variants === undefined || variant === undefined) return mappingOf(target, entityType, { data });
  return mappingOf(target, entityType, { variant: listedVariant(Object.keys(variants.variants), variant) });
}

function listedVariant(names: readonly string[], variant: string | undefined): string {
  if (variant !== undefined && names.includes(variant)) return variant;
  throw new MappingError([{ path: 'context.commitmentType', problem: `expected one of ${names.join(', ')}` }]);
}

// The same ID that a connect would store: what the caller knows it by, else its key, its native ID, its content.
function idOf(
  customerId: string,
  source: PlatformName,
  entityType: EntityType,
  { nativeId, data }: Decoded,
  payload: JsonObject,
  mappings: readonly KnownMapping[],
): string {
  const known = mappings.find((row) => row.platform === source && row.platformId === nativeId);
  if (known !== undefined && nativeId !== undefined) return known.canonicalId;
  const key = businessKeyOf(entityType, data);
  if (key !== undefined) return canonicalId(customerId, entityType, { kind: 'key', key: key.normal });
  if (nativeId !== undefined) return canonicalId(customerId, entityType, { kind: 'native', platform: source, nativeId });
  return canonicalId(customerId, entityType, { kind: 'payload', payload: `${source} ${stringifyJson(payload)}` });
}

function canonicalOf(
  id: string,
  entityType: EntityType,
  source: PlatformName,
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
  canonical.provider_metadata = { [source]: restToJson(decoded.rest) };
  return canonical;
}

function convertAmounts(
  entityType: EntityType,
  decoded: Decoded,
  mapping: Mapping,
  { targetCurrency, exchangeRate }: MapperContext,
): { readonly data: JsonObject; readonly conversion: Conversion } | undefined {
  const { currency, data } = decoded;
  if (targetCurrency === undefined || currency === undefined || currency === targetCurrency) return undefined;
  const rate = findRate(currency, targetCurrency, { request: exchangeRate });
  if (rate === undefined) {
    throw new MappingError([
      { path: 'context.targetCurrency', problem: `no exchange rate from ${currency} to ${targetCurrency} is known` },
    ]);
  }
  const converted: Record<string, JsonValue> = { ...data };
  for (const [field, { money }] of Object.entries(fieldsOf(entityType))) {
    const value = data[field];
    if (!money || !isMoney(value) || value.currency !== currency) continue;
    try {
      converted[field] = { ...convert(value, rate) };
    } catch (error) {
      if (!(error instanceof AmountError)) throw error;
      throw new MappingError([{ path: `data.${mapping.pathOf(field) ?? field}`, problem: error.message }]);
    }
  }
  if (data.currency !== undefined) converted.currency = targetCurrency;
  // The lines would have to be converted one by one, and their sum need not be the converted sum.
  delete converted.lines;
  return { data: converted, conversion: conversionAt(rate) };
}

function writeTarget(
  { target, context, defaultCurrency }: PreviewRequest,
  decoded: Decoded,
  data: JsonObject,
  sourceMapping: Mapping,
  targetMapping: Mapping,
  known: { readonly references?: Parameters<Mapping['encode']>[1]['references']; readonly id: string | undefined },
): JsonObject {
  const rest = context.rests[target] ?? (sourceMapping === targetMapping ? decoded.rest : undefined);
  const { payload, issues } = targetMapping.encode(data, {
    ...(known.references && { references: known.references }),
    ...(rest && { rest }),
    currency: currencyOf(data) ?? decoded.currency,
    localCurrency: context.currency ?? defaultCurrency,
  });
  if (issues.length > 0) {
    throw new MappingError(
      issues.map(({ path, problem }) => ({ path: `data.${sourceMapping.pathOf(path) ?? path}`, problem })),
    );
  }
  if (known.id === undefined) return payload;
  const withId: Record<string, JsonValue> = { ...payload };
  assignAt(withId, targetMapping.options.id.path.split('.'), targetMapping.options.id.encode(known.id));
  return withId;
}

// A record's amounts share one currency; the ERP's balances, which have their own, are never among the first.
function currencyOf(data: JsonObject): string | undefined {
  if (typeof data.currency === 'string') return data.currency;
  for (const value of Object.values(data)) if (isMoney(value)) return value.currency;
  return undefined;
}
