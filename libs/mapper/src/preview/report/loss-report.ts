import { fieldListOf } from '../../canonical/types';
import { ownMember } from '../../json/json-value';
import { visitLeaves, type LeafPlace } from './leaves';
import { nativeFieldsOf, presentPaths } from './native-fields';
import { Lines, type LossReport, type SourceLine, type SourceOutcome, type TargetLine } from './report-lines';
import type { Translated } from './translated';
import { AS_IT_IS, COMPUTES, memberOf, FieldOutcomes, type FieldOutcome } from './field-outcome';

/**
 * Reports the outcome of every native field of a previewed record, and the origin of every native field of the result. Each
 * leaf of either record counts in one line. The work and the size are linear in the two records.
 */
export function lossReport(translated: Translated): LossReport {
  const outcomes = new FieldOutcomes(translated);
  const source = new Lines<SourceLine>();
  const target = new Lines<TargetLine>();
  const values: Record<SourceOutcome, number> = { mapped: 0, derived: 0, kept: 0, lost: 0 };
  visitLeaves(translated.payload, nativeFieldsOf(translated.sourceMapping), (place, count) => {
    const line = sourceLine(translated, outcomes, place);
    values[line.outcome] += count;
    source.add(line, line.outcome, count);
  });
  visitLeaves(translated.written, nativeFieldsOf(translated.targetMapping), (place, count) => {
    const line = targetLine(translated, outcomes, place);
    target.add(line, line.origin, count);
  });
  return { values, source: source.list(), target: target.list() };
}

function sourceLine(
  translated: Translated,
  outcomes: FieldOutcomes,
  { path, node, line }: LeafPlace,
): SourceLine {
  const stays = translated.source === translated.target;
  const itself = stays ? { target_paths: [path] } : {};
  if (node?.isId && line === undefined) {
    return {
      path,
      outcome: 'kept',
      fields: ['external_ids'],
      ...itself,
      reason: 'it is the native ID of the record',
    };
  }
  const [list] = line?.list.fields ?? [];
  const own = node?.fields ?? [];
  const following = line === undefined ? own.flatMap((field) => outcomes.derivedFrom(field)) : [];
  const judged = [...own, ...following].flatMap((field) => {
    const found =
      line === undefined || list === undefined
        ? outcomes.of(field)
        : outcomes.ofLine(list, field, line.index);
    return found === undefined ? [] : [{ field: list === undefined ? field : `${list}[].${field}`, found }];
  });
  const best = bestOf(judged.map(({ found }) => found));
  if (best === undefined) {
    const reason =
      (node?.fields.length ?? 0) > 0 ? 'it says nothing that counts' : 'it has no canonical field';
    return { path, outcome: 'kept', ...itself, reason };
  }
  const targets = [...new Set(judged.flatMap(({ found }) => found.targets))];
  return {
    path,
    outcome: best.outcome,
    fields: judged.map(({ field }) => field),
    ...(targets.length > 0 && { target_paths: targets }),
    reason: best.reason,
  };
}

function bestOf(outcomes: readonly FieldOutcome[]): FieldOutcome | undefined {
  const of = (outcome: SourceOutcome) => outcomes.find((found) => found.outcome === outcome);
  return of('mapped') ?? of('derived') ?? of('lost');
}

function targetLine(
  translated: Translated,
  outcomes: FieldOutcomes,
  { path, node, line }: LeafPlace,
): TargetLine {
  const { id, source, target } = translated;
  if (node?.isId && line === undefined && id !== undefined && source !== target) {
    return { path, origin: 'mappings', reason: 'context.mappings names the record' };
  }
  for (const field of node?.fields ?? []) {
    const found =
      line === undefined
        ? fromField(translated, outcomes, field)
        : fromLine(translated, outcomes, field, line);
    if (found !== undefined) return { path, ...found };
  }
  return source === target
    ? { path, origin: 'source', source_paths: [path], reason: 'the record stays on its platform' }
    : { path, origin: 'provider_metadata', reason: 'context.provider_metadata holds it' };
}

type Origin = Omit<TargetLine, 'path'>;

function fromField(translated: Translated, outcomes: FieldOutcomes, field: string): Origin | undefined {
  const { decoded, references, sourceMapping, targetMapping, payload, returned, source, target } = translated;
  const description = targetMapping.descriptionOf(field);
  if (description?.readOnly) return undefined;
  const found = outcomes.of(field);
  const isReference = Object.hasOwn(decoded.references, field);
  if (isReference && (source === target || references.targets[field] === undefined)) return undefined;
  if (found === undefined && field === 'currency')
    return fromAmounts(translated, field, 'it is the currency of the amounts');
  if (returned.has(field)) return undefined;
  if (outcomes.isForAmount(field) && description?.members === undefined)
    return fromAmounts(translated, field, COMPUTES);
  if (found === undefined || found.outcome === 'lost') return undefined;
  const from = sourceMapping.options.derived?.[field]?.from ?? [field];
  const sources = [...new Set(from.flatMap((name) => presentPaths(sourceMapping, name, payload)))];
  return {
    origin: found.outcome,
    fields: [field],
    ...(sources.length > 0 && { source_paths: sources }),
    reason: found.reason === AS_IT_IS ? 'the source has the same value' : found.reason,
  };
}

/** The origin of a field that the source's record does not have, and that follows from its amounts. */
function fromAmounts(
  { decoded, sourceMapping, payload }: Translated,
  field: string,
  reason: string,
): Origin | undefined {
  const amounts = fieldListOf(sourceMapping.entityType, sourceMapping.own)
    .filter(({ name, money }) => money && ownMember(decoded.data, name) !== undefined)
    .map(({ name }) => name);
  if (amounts.length === 0) return undefined;
  return {
    origin: 'derived',
    fields: [field],
    source_paths: [...new Set(amounts.flatMap((name) => presentPaths(sourceMapping, name, payload)))],
    reason,
  };
}

function fromLine(
  translated: Translated,
  outcomes: FieldOutcomes,
  member: string,
  { list, index }: NonNullable<LeafPlace['line']>,
): Origin | undefined {
  const { decoded, sourceMapping, payload } = translated;
  const [field] = list.fields;
  if (field === undefined) return undefined;
  const [place] = presentPaths(sourceMapping, field, payload);
  const members = sourceMapping.descriptionOf(field)?.members;
  const readFrom = (name: string) => {
    const paths = members?.find((one) => one.field === name)?.paths ?? [];
    return place === undefined || paths.length === 0
      ? {}
      : { source_paths: paths.map((path) => `${place}[].${path}`) };
  };
  const fields = [`${field}[].${member}`];
  if (outcomes.isReturnedInLine(field, member, index)) return undefined;
  if (outcomes.isForAmountOfLine(field, member, index))
    return { origin: 'derived', fields, ...readFrom('amount'), reason: COMPUTES };
  if (memberOf(ownMember(decoded.data, field), index, member) === undefined) return undefined;
  const found = outcomes.ofLine(field, member, index);
  if (found === undefined || found.outcome === 'lost') return undefined;
  return {
    origin: found.outcome,
    fields,
    ...readFrom(member),
    reason: found.reason === AS_IT_IS ? 'the source has the same value' : found.reason,
  };
}
