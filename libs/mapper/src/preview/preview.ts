import type { EntityType } from '../canonical/entity-type';
import { setShownField, type OwnFields } from '../canonical/own-fields';
import { fieldListOf } from '../canonical/types';
import { businessKeyOf } from '../identity/business-key';
import { canonicalId } from '../identity/canonical-id';
import { setMember, type JsonObject, type JsonValue } from '../json/json-value';
import { stringifyJson } from '../json/json-text';
import { roomyObject } from '../json/roomy-object';
import type { DecodeContext, PayloadReading } from '../mapping/reading/decode';
import type { Mapping } from '../mapping/mapping';
import { MappingError } from '../mapping/mapping-error';
import { residueToJson, type Residue } from '../mapping/reading/residue';
import type { Conversion } from '../money/convert';
import { mappingOf, variantsOf, type PlatformName } from '../platforms';
import { convertedAmounts } from './converted-amounts';
import { CONTRADICTION, KnownMappings } from './known-mappings';
import type { MapperContext } from './preview-context';
import { resolvePreviewReferences, type ReferenceReport } from './references';
import { lossReport } from './report/loss-report';
import type { LossReport } from './report/report-lines';
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
  /** The fields that the customer has added. */
  readonly own?: OwnFields | undefined;
}

/** The record in canonical form, and as the target would show it. */
export interface Preview {
  readonly canonical: JsonObject;
  readonly payload: JsonObject;
  /** Absent when the record carries no reference, or stays on its platform. */
  readonly references?: ReferenceReport;
  /** Present when amounts were converted. */
  readonly conversion?: Conversion;
  /** Present when it was asked for. */
  readonly report?: LossReport;
}

/**
 * Translates one record without looking anything up.
 *
 * @throws MappingError naming the fields of `data` or `context` that do not fit
 */
export function previewTranslation(request: PreviewRequest): Preview {
  const steps = previewSteps(request);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * Like {@link previewTranslation}, step by step. A record of ten thousand lines takes longer than other requests should
 * wait, so a server serves these between the steps.
 *
 * @throws MappingError naming the fields of `data` or `context` that do not fit
 */
export function* previewSteps(request: PreviewRequest): Generator<undefined, Preview, undefined> {
  const { source, target, payload, context } = request;
  const sourceMapping = sourceMappingFor(request);
  const { decoded, currencies } = decodeSource(request, sourceMapping);
  yield;

  const targetMapping = targetMappingFor(request, decoded.data);
  const mappings = new KnownMappings(context.mappings);
  const references = resolvePreviewReferences(request, decoded, targetMapping, mappings);
  const id = idOf(request, decoded, mappings);
  const standing = mappings.recordOf(id, target);

  // A record that stays on its platform stays as it is: many of its amounts have no canonical field to convert.
  const converted = source === target ? undefined : convertedAmounts(decoded, sourceMapping, context);
  const made = {
    source,
    target,
    payload,
    decoded,
    sourceMapping,
    references,
    converted,
    id: standing === CONTRADICTION ? undefined : standing,
  };
  if (source === target) {
    const kept = decoded.residueOf();
    return {
      canonical: canonicalOf(id, request, decoded, kept, references.data),
      payload,
      ...(context.report && {
        report: lossReport({
          ...made,
          written: payload,
          targetMapping: sourceMapping,
          givenBack: decoded.data,
          shown: decoded.references,
          returned: new Set(),
          residue: undefined,
        }),
      }),
    };
  }
  const before = context.residues[target];
  const { payload: written, returned } = targetRecord({
    decoded,
    data: converted?.data ?? decoded.data,
    currency: converted?.conversion.to ?? decoded.currency,
    sourceMapping,
    targetMapping,
    references: references.targets,
    residue: before,
    id: made.id,
    inheritedCurrency: currencies.inheritedCurrency,
  });
  yield;
  const shown = shownBy(targetMapping, written, request, converted?.conversion, decoded.currency);
  yield;
  // Keeps the values that the target cannot return unchanged. The way back needs nothing else.
  const residue = decoded.residueOf({ data: shown.givenBack, currency: shown.currency });
  const kept = shown.returns ? { ...residue, returns: { ...residue.returns, ...shown.returns } } : residue;
  const canonical = canonicalOf(id, request, decoded, kept, references.data);
  const report = references.report;
  if (context.report) yield;
  const carries = report.resolved.length + report.unresolved.length > 0;
  return {
    canonical,
    payload: written,
    ...(carries && { references: report }),
    ...(converted && { conversion: converted.conversion }),
    ...(context.report && {
      report: lossReport({
        ...made,
        written,
        targetMapping,
        givenBack: shown.givenBack,
        shown: shown.references,
        returned,
        residue: before,
      }),
    }),
  };
}

function currencyOfContext({ context, defaultCurrency }: PreviewRequest): string {
  return context.currency ?? defaultCurrency;
}

/**
 * Reads the record in its source's form. A record that names no currency has the currency of the context, otherwise the
 * default one. On the way back, the amounts may not fit the default currency. If the context names none then, the
 * currency in the target's kept residue is used.
 */
function decodeSource(
  request: PreviewRequest,
  mapping: Mapping,
): { readonly decoded: PayloadReading; readonly currencies: DecodeContext } {
  const { payload, context, target, entityType } = request;
  const currency = currencyOfContext(request);
  const read = (inheritedCurrency: string) => {
    const currencies = { inheritedCurrency, localCurrency: currency };
    return { decoded: mapping.read(payload, currencies), currencies };
  };
  const first = read(currency);
  if (first.decoded.issues.length === 0) return first;
  const residue = context.residues[target];
  if (residue !== undefined && context.currency === undefined && !first.decoded.namesCurrency) {
    const { variant } = residue;
    const known = listedVariants(target, entityType)?.includes(variant ?? '') ?? variant === undefined;
    const named = known
      ? mappingOf(target, entityType, { variant }).currencyNamedIn(residue.fields)
      : undefined;
    const second = named === undefined ? first : read(named);
    if (second.decoded.issues.length === 0) return second;
  }
  throw new MappingError(first.decoded.issues).within('data');
}

/** What the target shows of a record that was written to it. */
interface Shown extends Pick<PayloadReading, 'currency' | 'references'> {
  readonly givenBack: JsonObject;
  /** Values that count as those of the source's record. */
  readonly returns?: JsonObject;
}

/**
 * The values that the target returns for a record that was written to it. If the target's record names no currency, its
 * amounts may not fit the currency in which it is read on the way back. They are then read in the currency in which
 * they were written (see {@link decodeSource}), and count as the values of the source's record.
 */
function shownBy(
  mapping: Mapping,
  written: JsonObject,
  request: PreviewRequest,
  conversion: Conversion | undefined,
  currency: string | undefined,
): Shown {
  const localCurrency = currencyOfContext(request);
  const inheritedCurrency = conversion?.to ?? localCurrency;
  const shown = mapping.read(written, { localCurrency, inheritedCurrency });
  const given = { givenBack: shown.data, currency: shown.currency, references: shown.references };
  if (shown.issues.length === 0 || shown.namesCurrency || currency === undefined) {
    return given;
  }
  const meant = mapping.read(written, { localCurrency, inheritedCurrency: currency });
  const returns = Object.entries(meant.data).filter(([field]) => !Object.hasOwn(shown.data, field));
  return { ...given, ...(returns.length > 0 && { returns: Object.fromEntries(returns) }) };
}

function sourceMappingFor({ source, entityType, context, own }: PreviewRequest): Mapping {
  const names = listedVariants(source, entityType);
  const variant =
    names === undefined ? undefined : listedVariant(names, context.variant, 'context.commitmentType');
  return mappingOf(source, entityType, { variant, own });
}

// The variant that the caller names, else that of an earlier answer, else the one that the data calls for.
function targetMappingFor({ target, entityType, context, own }: PreviewRequest, data: JsonObject): Mapping {
  const { variant, residues } = context;
  const names = listedVariants(target, entityType);
  const said = variant ?? residues[target]?.variant;
  if (names === undefined || said === undefined) return mappingOf(target, entityType, { data, own });
  const path =
    variant === undefined ? `context.provider_metadata.${target}.variant` : 'context.commitmentType';
  return mappingOf(target, entityType, { variant: listedVariant(names, said, path), own });
}

function listedVariants(platform: PlatformName, entityType: EntityType): readonly string[] | undefined {
  const variants = variantsOf(platform, entityType);
  return variants && Object.keys(variants.variants);
}

function listedVariant(names: readonly string[], variant: string | undefined, path: string): string {
  if (variant !== undefined && names.includes(variant)) return variant;
  throw new MappingError([{ path, problem: `expected one of ${names.join(', ')}` }]);
}

// The same ID that a connect would store: from the caller's mappings, else from the key, the native ID or the content.
function idOf(
  { customerId, source, entityType, payload }: PreviewRequest,
  { nativeId, data }: PayloadReading,
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
  { source, entityType, context: { variant }, own }: PreviewRequest,
  { nativeId, data }: PayloadReading,
  residue: Residue,
  references: Readonly<Record<string, string | null>>,
): JsonObject {
  const canonical = roomyObject();
  canonical.id = id;
  canonical.object = entityType;
  for (const { name, refersTo } of fieldListOf(entityType, own)) {
    const value = refersTo === undefined ? data[name] : references[name];
    if (value !== undefined) setShownField(canonical, name, value);
  }
  const externalIds: Record<string, JsonValue> = {};
  if (nativeId !== undefined) setMember(externalIds, source, nativeId);
  canonical.external_ids = externalIds;
  const hasVariants = variantsOf(source, entityType) !== undefined;
  canonical.provider_metadata = {
    [source]: residueToJson(hasVariants && variant !== undefined ? { ...residue, variant } : residue),
  };
  return canonical;
}
