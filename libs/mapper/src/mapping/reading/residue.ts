import { isCurrency } from '../../money/currencies';
import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from '../../json/json-value';

/**
 * The part of a payload that the canonical data does not contain: the fields without a mapping, and the exact spellings
 * that the data cannot restore. Canonical data and residue together restore the payload, as JSON values. The residue is
 * stored as `provider_metadata[platform]` and passes through clients, so it is plain JSON.
 */
export interface Residue {
  /** Which of a platform's several resources for the type the record was (`PurchaseOrderContract`). */
  readonly variant?: string;
  /** The payload without what the canonical data restores. */
  readonly fields: JsonObject;
  /** Native path to the spelling found there; used as long as it still means the current value. */
  readonly literals?: Readonly<Record<string, JsonValue>>;
  /** Native paths that were absent although their canonical field has a value. */
  readonly absent?: readonly string[];
  /**
   * By canonical field: the value that the other platform of a preview returns, if it differs from the record's, the record
   * has none, or the record has figures computed from it. While the field has this value, `fields` counts. Any other value is
   * an edit. A line has its members here.
   */
  readonly returns?: JsonObject;
  /**
   * The currency that the record inherits, where the other platform of a preview returns another one. An amount that was
   * edited there is not in it.
   */
  readonly currency?: string;
  /** Native path of a list to the residue of each of its lines, in their order. */
  readonly lines?: Readonly<Record<string, readonly Residue[]>>;
  /**
   * For a line: a digest of its content, which is the same on either platform. A line with other content and another ID
   * does not get the residue, because the residue holds, for instance, the cost code of another line.
   */
  readonly of?: string;
}

export const emptyResidue: Residue = { fields: {} };

/** A residue as it is sent to clients and stored. */
export function residueToJson(residue: Residue): JsonObject {
  return {
    ...(residue.variant !== undefined && { variant: residue.variant }),
    fields: residue.fields,
    ...(residue.literals && { literals: residue.literals }),
    ...(residue.absent && { absent: residue.absent }),
    ...(residue.returns && { returns: residue.returns }),
    ...(residue.currency !== undefined && { currency: residue.currency }),
    ...(residue.lines && {
      lines: Object.fromEntries(
        Object.entries(residue.lines).map(([path, lines]) => [path, lines.map(residueToJson)]),
      ),
    }),
    ...(residue.of !== undefined && { of: residue.of }),
  };
}

/** Reads a residue that a client hands back; undefined when it is not of that form. */
export function residueFromJson(value: JsonValue | undefined): Residue | undefined {
  if (value === undefined || !isJsonObject(value)) return undefined;
  const variant = ownMember(value, 'variant');
  const fields = ownMember(value, 'fields') ?? {};
  const literals = ownMember(value, 'literals');
  const absent = ownMember(value, 'absent');
  const returns = ownMember(value, 'returns');
  const currency = ownMember(value, 'currency');
  const lines = ownMember(value, 'lines');
  const of = ownMember(value, 'of');
  if (variant !== undefined && typeof variant !== 'string') return undefined;
  if (of !== undefined && typeof of !== 'string') return undefined;
  if (currency !== undefined && (typeof currency !== 'string' || !isCurrency(currency))) return undefined;
  if (!isJsonObject(fields)) return undefined;
  if (returns !== undefined && !isJsonObject(returns)) return undefined;
  if (literals !== undefined && !isJsonObject(literals)) return undefined;
  if (absent !== undefined && !isTextList(absent)) return undefined;
  const parsedLines = lines === undefined ? undefined : linesFromJson(lines);
  if (lines !== undefined && parsedLines === undefined) return undefined;
  return {
    ...(variant !== undefined && { variant }),
    fields,
    ...(literals && { literals }),
    ...(absent && { absent }),
    ...(returns && { returns }),
    ...(currency !== undefined && { currency }),
    ...(parsedLines && { lines: parsedLines }),
    ...(of !== undefined && { of }),
  };
}

function linesFromJson(value: JsonValue): Record<string, readonly Residue[]> | undefined {
  if (!isJsonObject(value)) return undefined;
  const result: Record<string, readonly Residue[]> = {};
  for (const [path, list] of Object.entries(value)) {
    if (!isJsonArray(list)) return undefined;
    const residues = list.map(residueFromJson);
    if (!residues.every((residue) => residue !== undefined)) return undefined;
    result[path] = residues;
  }
  return result;
}

function isTextList(value: JsonValue): value is readonly string[] {
  return isJsonArray(value) && value.every((item) => typeof item === 'string');
}
