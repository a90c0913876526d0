import { entityTypes } from '../canonical/entity-type';
import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from '../json/json-value';
import { MOST_ISSUES } from '../mapping/issues';
import { MappingError, type FieldIssue } from '../mapping/mapping-error';
import { residueFromJson, type Residue } from '../mapping/reading/residue';
import { isCurrency } from '../money/currencies';
import { isQuote, problemOfQuote, type RateQuote } from '../money/exchange-rates';
import { isPlatformName, nativeIdFrom, platformNames, variantsOf, type PlatformName } from '../platforms';
import type { KnownMapping } from './known-mappings';

/** The options of a caller, beside the record. */
export interface MapperContext {
  /** Variant of the source's resource, where it has several (`commitmentType`). */
  readonly variant?: string;
  /** Currency of a record that names none. */
  readonly currency?: string;
  /** Currency to convert amounts into. */
  readonly targetCurrency?: string;
  readonly exchangeRate?: RateQuote;
  readonly mappings: readonly KnownMapping[];
  /** Residue of each platform's record, from an earlier answer. */
  readonly residues: Readonly<Partial<Record<PlatformName, Residue>>>;
  /** Whether the answer has the outcome of each native field. */
  readonly report?: boolean;
}

/**
 * Reads the free-form `context` of a request. Members it does not know are left alone.
 *
 * @throws MappingError naming each member that is there and cannot be used (`context.exchangeRate.rate`)
 */
export function readMapperContext(context: JsonObject): MapperContext {
  const issues: FieldIssue[] = [];
  const result: MapperContext = {
    ...variantMember(context, issues),
    ...currencyMember(context, 'currency', issues),
    ...currencyMember(context, 'targetCurrency', issues),
    ...exchangeRateMember(context, issues),
    mappings: mappingsMember(context, issues),
    residues: restsMember(context, issues),
    ...reportMember(context, issues),
  };
  if (issues.length > 0) throw new MappingError(issues);
  return result;
}

function variantMember(context: JsonObject, issues: FieldIssue[]): { readonly variant?: string } {
  const value = ownMember(context, 'commitmentType') ?? undefined;
  if (value === undefined) return {};
  const names = new Set(
    platformNames.flatMap((platform) =>
      entityTypes.flatMap((entityType) => Object.keys(variantsOf(platform, entityType)?.variants ?? {})),
    ),
  );
  if (typeof value === 'string' && names.has(value)) return { variant: value };
  issues.push({ path: 'context.commitmentType', problem: `expected one of ${[...names].join(', ')}` });
  return {};
}

function currencyMember<Name extends 'currency' | 'targetCurrency'>(
  context: JsonObject,
  name: Name,
  issues: FieldIssue[],
): { readonly [Member in Name]?: string } {
  const value = ownMember(context, name) ?? undefined;
  if (value === undefined) return {};
  if (typeof value === 'string' && isCurrency(value))
    return { [name]: value } as { [Member in Name]: string };
  issues.push({ path: `context.${name}`, problem: 'expected an ISO 4217 currency code' });
  return {};
}

function reportMember(context: JsonObject, issues: FieldIssue[]): { readonly report?: boolean } {
  const value = ownMember(context, 'report') ?? undefined;
  if (value === undefined) return {};
  if (typeof value === 'boolean') return { report: value };
  issues.push({ path: 'context.report', problem: 'expected true or false' });
  return {};
}

function exchangeRateMember(
  context: JsonObject,
  issues: FieldIssue[],
): { readonly exchangeRate?: RateQuote } {
  const value = ownMember(context, 'exchangeRate') ?? undefined;
  if (value === undefined) return {};
  if (!isJsonObject(value)) {
    issues.push({ path: 'context.exchangeRate', problem: 'expected an object with from, to and rate' });
    return {};
  }
  const quote = {
    from: ownMember(value, 'from'),
    to: ownMember(value, 'to'),
    rate: ownMember(value, 'rate'),
  };
  if (isQuote(quote)) return { exchangeRate: quote };
  const found = problemOfQuote(quote);
  if (found) issues.push({ path: `context.exchangeRate.${found.member}`, problem: found.problem });
  return {};
}

function mappingsMember(context: JsonObject, issues: FieldIssue[]): readonly KnownMapping[] {
  const value = ownMember(context, 'mappings') ?? undefined;
  if (value === undefined) return [];
  if (!isJsonArray(value)) {
    issues.push({
      path: 'context.mappings',
      problem: 'expected a list of { canonical_id, platform, platform_id }',
    });
    return [];
  }
  const rows: KnownMapping[] = [];
  for (const [index, row] of value.entries()) {
    if (issues.length >= MOST_ISSUES) break;
    const known = mappingRow(row, `context.mappings[${index}]`, issues);
    if (known !== undefined) rows.push(known);
  }
  return rows;
}

function mappingRow(row: JsonValue, path: string, issues: FieldIssue[]): KnownMapping | undefined {
  if (!isJsonObject(row)) {
    issues.push({ path, problem: 'expected an object with canonical_id, platform and platform_id' });
    return undefined;
  }
  const canonicalId = ownMember(row, 'canonical_id');
  const platform = ownMember(row, 'platform');
  const platformId = ownMember(row, 'platform_id');
  if (typeof canonicalId === 'string' && typeof platform === 'string' && typeof platformId === 'string') {
    if (isPlatformName(platform)) {
      return { canonicalId, platform, platformId: nativeIdFrom(platform, platformId) };
    }
    issues.push({ path: `${path}.platform`, problem: 'expected the name of a platform' });
    return undefined;
  }
  const missing = Object.entries({ canonical_id: canonicalId, platform, platform_id: platformId })
    .filter(([, member]) => typeof member !== 'string')
    .map(([name]) => name);
  for (const name of missing) issues.push({ path: `${path}.${name}`, problem: 'expected text' });
  return undefined;
}

function restsMember(
  context: JsonObject,
  issues: FieldIssue[],
): Readonly<Partial<Record<PlatformName, Residue>>> {
  const value = ownMember(context, 'provider_metadata') ?? undefined;
  if (value === undefined) return {};
  if (!isJsonObject(value)) {
    issues.push({
      path: 'context.provider_metadata',
      problem: 'expected an object with a member for each platform',
    });
    return {};
  }
  const residues: Partial<Record<PlatformName, Residue>> = {};
  for (const [platform, member] of Object.entries(value)) {
    if (!isPlatformName(platform)) continue;
    const residue = residueFromJson(member);
    if (residue === undefined) {
      issues.push({
        path: `context.provider_metadata.${platform}`,
        problem: 'expected what an earlier answer held there',
      });
    } else {
      residues[platform] = residue;
    }
  }
  return residues;
}
