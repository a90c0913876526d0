import type { PathTree, ValuesAtPaths } from '../../json/path-tree';
import { sameJson, type JsonObject, type JsonValue } from '../../json/json-value';
import { attempt, Unfit, unfitFrom, type Codec, type ValueContext } from '../codec';
import type { NativeChange } from '../native-change';
import type { Natives } from './read-value';
import type { ValueStep } from '../step';
import type { Residue } from './residue';

/** Collects field by field what a payload holds beyond its data. */
export class ResidueBuilder {
  /** Whether the data and its spelling restore the native value, by the index of the path. */
  readonly restored: boolean[] = [];
  literals: Record<string, JsonValue> | undefined;
  absent: string[] | undefined;

  /** Compares a value's native form with the one that would be written for it, and keeps what differs. */
  keep(step: ValueStep, values: ValuesAtPaths, value: JsonValue, context: ValueContext): void {
    const { single } = step;
    if (single === undefined) {
      this.keepAll(step, values, value, context);
      return;
    }
    // A value that was read has a native form, so there is one at its only path.
    const native = values[single.place] ?? null;
    this.restored[single.place] = true;
    if (!isNormal(single.codec, native, value, context)) (this.literals ??= {})[single.name] = native;
  }

  /** The residue of the payload whose values were kept. */
  residueOf(payload: JsonObject, paths: PathTree): Residue {
    return {
      fields: paths.without(payload, this.restored),
      ...(this.literals && { literals: this.literals }),
      ...(this.absent && { absent: this.absent }),
    };
  }

  private keepAll(
    { binding, names, places }: ValueStep,
    values: ValuesAtPaths,
    value: JsonValue,
    context: ValueContext,
  ): void {
    const normal = attempt(() => binding.encode(value, context));
    for (const [index, place] of places.entries()) {
      const native = values[place];
      const name = names[index] ?? '';
      if (native !== undefined) this.restored[place] = true;
      if ('value' in normal && sameJson(normal.value[index], native)) continue;
      if (native === undefined) (this.absent ??= []).push(name);
      else (this.literals ??= {})[name] = native;
    }
  }
}

// Whether encoding would write a value as it was read.
function isNormal(
  codec: Codec<JsonValue>,
  native: JsonValue,
  value: JsonValue,
  context: ValueContext,
): boolean {
  try {
    return sameJson(codec.encode(value, context), native);
  } catch (error) {
    unfitFrom(error);
    return false;
  }
}

/** The spellings that a residue keeps, by path. */
export interface KeptSpellings {
  readonly literals: Readonly<Record<string, JsonValue>> | undefined;
  readonly absent: ReadonlySet<string> | undefined;
}

/** The spellings that a residue keeps. */
export function spellingsOf({ literals, absent }: Pick<Residue, 'literals' | 'absent'>): KeptSpellings {
  return { literals, absent: absent && new Set(absent) };
}

/**
 * Adds what is written for a value to the changes of a record.
 *
 * @throws Unfit when the platform cannot hold the value
 */
export function addSpelt(
  step: ValueStep,
  value: JsonValue,
  spellings: KeptSpellings,
  context: ValueContext,
  changes: NativeChange[],
): void {
  const { single, paths } = step;
  if (single !== undefined && !keepsSpellings(spellings)) {
    const native = single.codec.encode(value, context);
    if (native !== undefined) changes.push({ path: single.path, value: native });
    return;
  }
  const natives = spell(step, value, spellings, context);
  for (const [index, path] of paths.entries()) {
    const native = natives[index];
    if (native !== undefined) changes.push({ path, value: native });
  }
}

/** Whether a residue keeps a spelling of any value. */
function keepsSpellings({ literals, absent }: KeptSpellings): boolean {
  return literals !== undefined || absent !== undefined;
}

/**
 * The native values to write for a value. A kept spelling is used only if it still means the value, so that an edit always
 * wins; otherwise the normal form is used.
 *
 * @throws Unfit when the platform cannot hold the value
 */
function spell(
  { binding, names }: ValueStep,
  value: JsonValue,
  spellings: KeptSpellings,
  context: ValueContext,
): Natives {
  const normal = attempt(() => binding.encode(value, context));
  const kept = keepsSpellings(spellings) ? names.map((name) => keptAt(name, spellings)) : nothing;
  if (kept.some((spelling) => spelling !== undefined)) {
    const means = (natives: Natives) => {
      const meant = attempt(() => binding.decode(natives, context));
      return 'value' in meant && sameJson(meant.value ?? null, value);
    };
    const written: Natives = 'value' in normal ? normal.value : [];
    const spelt = kept.map((spelling, index) => (spelling === undefined ? written[index] : spelling.native));
    if (means(spelt)) return spelt;
    if ('value' in normal)
      return binding.alternatives ? whereItWas(written, kept) : partly(written, kept, means);
  }
  if ('problem' in normal) throw new Unfit(normal.problem);
  return normal.value;
}

type KeptValue = { readonly native: JsonValue | undefined } | undefined;

const nothing: readonly KeptValue[] = [];

function keptAt(name: string, { literals, absent }: KeptSpellings): KeptValue {
  if (absent?.has(name)) return { native: undefined };
  return literals && Object.hasOwn(literals, name) ? { native: literals[name] } : undefined;
}

// If a value is spread over several fields, an edit may concern only one of them; the others keep their spelling.
function partly(normal: Natives, kept: readonly KeptValue[], means: (natives: Natives) => boolean): Natives {
  return kept.reduce<Natives>((natives, spelling, index) => {
    if (spelling === undefined) return natives;
    const candidate = natives.map((native, place) => (place === index ? spelling.native : native));
    return means(candidate) ? candidate : natives;
  }, normal);
}

// A new value goes to the alternatives that the record has, or to the first one if it has none.
function whereItWas(normal: Natives, kept: readonly KeptValue[]): Natives {
  const [value] = normal;
  const natives = kept.map((spelling, index) => {
    const present = spelling === undefined ? index === 0 : spelling.native !== undefined;
    return present ? value : undefined;
  });
  return natives.some((native) => native !== undefined) ? natives : normal;
}
