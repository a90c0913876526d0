import { valueAt } from '../../json/json-path';
import { sameJson, type JsonValue } from '../../json/json-value';
import { attempt, type Outcome } from '../codec';
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
  const native = valueAt(residue.fields, source.path);
  return native === undefined ? undefined : attempt(() => source.decode(native));
}
