import { valueAt, withoutValueAt } from '../../json/json-path';
import { ownMember, sameJson, type JsonValue } from '../../json/json-value';
import { attempt, type Outcome } from '../codec';
import type { NativeReference } from '../binding';
import type { CompiledMapping } from '../compiled-mapping';
import type { EncodeContext } from './encode-context';
import type { NativeChange } from '../native-change';
import type { Residue } from '../reading/residue';
import type { NamedSource, ReferenceStep } from '../step';

/** The native fields that name a reference's record on the target, as far as the residue does not name it already. */
export function referenceChanges(
  { field, written }: ReferenceStep,
  { references }: EncodeContext,
  residue: Residue,
): readonly NativeChange[] {
  const target = references?.[field];
  if (target === undefined || (target === null && saysNothing(written, residue))) return [];
  return written.flatMap((source): NativeChange[] => {
    const name = target === null ? null : target[source.by];
    if (name === undefined) return [];
    const value = source.encode(name);
    return isSpelling(source, value, residue) ? [] : [{ path: source.path, value }];
  });
}

/** Whether the residue names the same record at a source's path already, if in another spelling. */
function isSpelling(source: NamedSource, value: JsonValue, residue: Residue): boolean {
  const said = saidAt(source, residue);
  return said !== undefined && 'value' in said && sameJson(source.encode(said.value), value);
}

/** Whether the residue says already that there is no such record. */
function saysNothing(sources: readonly NamedSource[], residue: Residue): boolean {
  const said = sources.map((source) => saidAt(source, residue)).filter((outcome) => outcome !== undefined);
  return said.length > 0 && said.every((outcome) => 'value' in outcome && outcome.value === null);
}

function saidAt(source: NamedSource, residue: Residue): Outcome<string | null> | undefined {
  const literal = residue.literals && ownMember(residue.literals, source.name);
  const native = literal ?? valueAt(residue.fields, source.path);
  return native === undefined ? undefined : attempt(() => source.decode(native));
}

/** The records that a residue names, by the field of the reference, the best source first. */
export function namesIn(
  { references }: CompiledMapping,
  residue: Residue,
): Readonly<Record<string, readonly NativeReference[]>> {
  const named = references.map(({ field, refersTo, sources }): [string, readonly NativeReference[]] => [
    field,
    sources.flatMap((source) => {
      const said = saidAt(source, residue);
      const value = said !== undefined && 'value' in said ? said.value : null;
      return value === null ? [] : [{ refersTo, by: source.by, value, path: source.name }];
    }),
  ]);
  return Object.fromEntries(named);
}

/**
 * The residue without what it holds of the old records of references that have moved to another record: its number beside the
 * new ID, and what the platform shows of it.
 */
export function withoutOldNames(
  { references, shownOf }: CompiledMapping,
  { references: targets = {} }: EncodeContext,
  residue: Residue,
): Residue {
  const moved = references.filter(({ field }) => targets[field]?.moved);
  if (moved.length === 0) return residue;
  const old = moved.flatMap(({ field, sources }) =>
    sources.filter(({ by }) => targets[field]?.[by] === undefined),
  );
  const shown = moved.flatMap(({ field }) => shownOf.get(field) ?? []);
  const paths = [...old.map(({ path }) => path), ...shown];
  const fields = paths.reduce((rest, path) => withoutValueAt(rest, path), residue.fields);
  const names = new Set(old.map(({ name }) => name));
  const literals = Object.entries(residue.literals ?? {}).filter(([name]) => !names.has(name));
  return { ...residue, fields, literals: Object.fromEntries(literals) };
}
