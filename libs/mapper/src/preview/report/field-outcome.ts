import {
  isJsonArray,
  isJsonObject,
  ownMember,
  sameJson,
  type JsonObject,
  type JsonValue,
} from '../../json/json-value';
import type { FieldDescription } from '../../mapping/describing/description';
import { presentPaths } from './native-fields';
import type { SourceOutcome } from './report-lines';
import type { Translated } from './translated';

/** The outcome of a canonical field that has a value in the source. */
export interface FieldOutcome {
  readonly outcome: Exclude<SourceOutcome, 'kept'>;
  readonly targets: readonly string[];
  readonly reason: string;
}

/** Judges the canonical fields of one translation. Each is judged once; lines one by one. */
export class FieldOutcomes {
  private readonly byField = new Map<string, FieldOutcome | undefined>();
  private readonly returnedLines = new Map<string, readonly ReadonlySet<string>[]>();

  /** The source's data, converted where that was asked for. */
  private readonly sent: JsonObject;
  /** What the target is to hold of them. */
  private readonly held: JsonObject;

  constructor(private readonly translated: Translated) {
    this.sent = translated.converted?.data ?? translated.decoded.data;
    this.held = translated.targetMapping.written(this.sent);
  }

  /** Whether the target holds another value than the source's, if any, because it computes the source's amount from it. */
  isForAmount(field: string): boolean {
    const held = ownMember(this.held, field);
    return held !== undefined && !sameJson(ownMember(this.sent, field), held);
  }

  /** The same of a member of a line. */
  isForAmountOfLine(field: string, member: string, index: number): boolean {
    const [sent, held] = [this.sent, this.held].map((data) =>
      memberOf(ownMember(data, field), index, member),
    );
    return held !== undefined && !sameJson(sent, held);
  }

  /** Whether the target's own value of a member of a line counts again, because the source returns what it was shown. */
  isReturnedInLine(field: string, member: string, index: number): boolean {
    const { targetMapping, residue } = this.translated;
    if (residue === undefined) return false;
    let lines = this.returnedLines.get(field);
    if (lines === undefined) {
      lines = targetMapping.returnedInLines(field, this.sent, residue);
      this.returnedLines.set(field, lines);
    }
    return lines[index]?.has(member) ?? false;
  }

  /** Undefined when nothing was read into the field. */
  of(field: string): FieldOutcome | undefined {
    if (!this.byField.has(field)) this.byField.set(field, this.judge(field));
    return this.byField.get(field);
  }

  /** The outcome of one member of a line. Undefined if nothing was read into it. */
  ofLine(field: string, member: string, index: number): FieldOutcome | undefined {
    const { decoded, givenBack, converted, targetMapping, target, written } = this.translated;
    const value = memberOf(ownMember(decoded.data, field), index, member);
    if (value === undefined) return undefined;
    if (converted !== undefined) return lost('lines are not converted');
    const lines = targetMapping.descriptionOf(field);
    const description = lines?.members?.find((one) => one.field === member);
    if (description === undefined) return lost(`${target} has no such field`);
    if (this.isForAmountOfLine(field, member, index)) return lost(COMPUTES);
    const [list] = presentPaths(targetMapping, field, written);
    const targets = list === undefined ? [] : description.paths.map((path) => `${list}[].${path}`);
    const given = memberOf(ownMember(givenBack, field), index, member);
    return this.compared(value, given, description, targets);
  }

  /** The fields of the source that follow from another one. */
  derivedFrom(field: string): readonly string[] {
    return Object.entries(this.translated.sourceMapping.options.derived ?? {}).flatMap(([name, { from }]) =>
      from.includes(field) ? [name] : [],
    );
  }

  private judge(field: string): FieldOutcome | undefined {
    const found = this.judgeValue(field);
    const derived = this.translated.sourceMapping.options.derived?.[field];
    return derived === undefined || found?.outcome !== 'mapped'
      ? found
      : { ...found, outcome: 'derived', reason: `${field} follows from ${derived.from.join(' and ')}` };
  }

  private judgeValue(field: string): FieldOutcome | undefined {
    const { decoded, targetMapping, target, written, givenBack, converted } = this.translated;
    if (Object.hasOwn(decoded.references, field)) return this.judgeReference(field);
    const value = ownMember(decoded.data, field);
    if (value === undefined) return undefined;
    const description = targetMapping.descriptionOf(field);
    if (description === undefined) return lost(`${target} has no such field`);
    if (converted !== undefined && description.members !== undefined) return lost('lines are not converted');
    if (description.members === undefined && this.isForAmount(field)) return lost(COMPUTES);
    const given = ownMember(givenBack, field);
    const targets = presentPaths(targetMapping, field, written);
    const outgoing = converted && ownMember(converted.data, field);
    if (outgoing !== undefined && !sameJson(outgoing, value) && sameJson(outgoing, given)) {
      const { from, to } = converted?.conversion ?? { from: '', to: '' };
      return { outcome: 'derived', targets, reason: `converted from ${from} to ${to}` };
    }
    return this.compared(value, given, description, targets);
  }

  private judgeReference(field: string): FieldOutcome {
    const { decoded, references, targetMapping, source, target, written, shown } = this.translated;
    if (targetMapping.descriptionOf(field) === undefined) return lost(`${target} has no such field`);
    const present = presentPaths(targetMapping, field, written);
    if (source === target) return { outcome: 'mapped', targets: present, reason: AS_IT_IS };
    const { resolved, unresolved } = references.report;
    const known = resolved.find((one) => one.field === field);
    const missing = known?.reason ?? unresolved.find((one) => one.field === field)?.reason;
    if (decoded.references[field]?.length === 0) {
      return present.length === 0
        ? lost(`${target} has no form of this value`)
        : { outcome: 'mapped', targets: present, reason: 'it names no record' };
    }
    // A native field may be there and name nothing or another record, or hold only the text of another field.
    const targets = [...new Set((shown[field] ?? []).map(({ path }) => path))];
    if (targets.length === 0 || references.unsure.has(field))
      return lost(missing ?? `${target} has no form of this value`);
    if (known?.injected) return { outcome: 'derived', targets, reason: known.reason };
    const byKey = targetMapping.referenceNames(field).includes('key') && references.targets[field]?.key;
    return {
      outcome: 'derived',
      targets,
      reason: byKey ? `${target} names the record by its number` : KEPT_NAME,
    };
  }

  private compared(
    value: JsonValue,
    given: JsonValue | undefined,
    { readOnly, constant }: FieldDescription,
    targets: readonly string[],
  ): FieldOutcome {
    const { source, target } = this.translated;
    // A record that stays on its platform keeps the fields that are not written.
    if (source === target && readOnly) return { outcome: 'mapped', targets, reason: AS_IT_IS };
    if (constant !== undefined) {
      // The tables hold JSON.
      return sameJson(value, constant as JsonValue)
        ? { outcome: 'mapped', targets, reason: `every record of ${target} has this value` }
        : lost(`every record of ${target} has another value`);
    }
    if (readOnly) return lost(`${target} keeps its own`);
    if (targets.length === 0) return lost(`${target} has no form of this value`);
    return sameJson(value, given)
      ? { outcome: 'mapped', targets, reason: AS_IT_IS }
      : { outcome: 'derived', targets, reason: `${target} shows it, and would not give it back unchanged` };
  }
}

/** The reason for values that go over unchanged. */
export const AS_IT_IS = 'the target shows the same value';

/** The reason for values that the target has for the sake of an amount. */
export const COMPUTES = 'the target computes its amount from it';

const KEPT_NAME = 'context.provider_metadata names the record on the target';

function lost(reason: string): FieldOutcome {
  return { outcome: 'lost', targets: [], reason };
}

/** A member of one line; undefined when there is none. */
export function memberOf(lines: JsonValue | undefined, index: number, member: string): JsonValue | undefined {
  const line = isJsonArray(lines) ? lines[index] : undefined;
  return isJsonObject(line) ? ownMember(line, member) : undefined;
}
