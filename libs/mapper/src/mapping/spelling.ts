import type { JsonPath } from '../json/json-path';
import { sameJson, type JsonValue } from '../json/json-value';
import { attempt, Unfit, type ValueContext } from './codec';
import type { ValueStep } from './step';
import type { Rest } from './rest';

/** Native values at the paths of a step; undefined where the payload has none. */
export type Natives = readonly (JsonValue | undefined)[];

/** What a payload holds beyond its data, as it is collected field by field. */
export interface Residue {
  /** Paths whose native value the data and its spelling restore. */
  readonly restored: JsonPath[];
  readonly literals: Record<string, JsonValue>;
  readonly absent: string[];
}

/** Compares a value's native form with the one that would be written for it, and keeps what differs. */
export function keepSpelling(
  { binding, paths, names }: ValueStep,
  natives: Natives,
  value: JsonValue,
  context: ValueContext,
  { restored, literals, absent }: Residue,
): void {
  const normal = attempt(() => binding.encode(value, context));
  for (const [index, path] of paths.entries()) {
    const native = natives[index];
    const name = names[index] ?? '';
    if (native !== undefined) restored.push(path);
    if ('value' in normal && sameJson(normal.value[index], native)) continue;
    if (native === undefined) absent.push(name);
    else literals[name] = native;
  }
}

/** The spellings that a rest keeps, by path. */
export interface KeptSpellings {
  readonly literals: Readonly<Record<string, JsonValue>> | undefined;
  readonly absent: ReadonlySet<string> | undefined;
}

/** The spellings that a rest keeps. */
export function spellingsOf({ literals, absent }: Pick<Rest, 'literals' | 'absent'>): KeptSpellings {
  return { literals, absent: absent && new Set(absent) };
}

/**
 * The native values to write for a value: as they were spelt, as far as the spelling still means the value, so that an
 * edit always wins; else in normal form.
 *
 * @throws Unfit when the platform cannot hold the value
 */
export function spell(
  { binding, names }: ValueStep,
  value: JsonValue,
  spellings: KeptSpellings,
  context: ValueContext,
): Natives {
  const normal = attempt(() => binding.encode(value, context));
  const kept =
    spellings.literals || spellings.absent ? names.map((name) => keptAt(name, spellings)) : nothing;
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

type Kept = { readonly native: JsonValue | undefined } | undefined;

const nothing: readonly Kept[] = [];

function keptAt(name: string, { literals, absent }: KeptSpellings): Kept {
  if (absent?.has(name)) return { native: undefined };
  return literals && Object.hasOwn(literals, name) ? { native: literals[name] } : undefined;
}

// Of a value in several fields an edit may concern one only; the others keep their spelling.
function partly(normal: Natives, kept: readonly Kept[], means: (natives: Natives) => boolean): Natives {
  return kept.reduce<Natives>((natives, spelling, index) => {
    if (spelling === undefined) return natives;
    const candidate = natives.map((native, place) => (place === index ? spelling.native : native));
    return means(candidate) ? candidate : natives;
  }, normal);
}

// A new value goes to the alternatives that the record has; the first of them, when it has none.
function whereItWas(normal: Natives, kept: readonly Kept[]): Natives {
  const [value] = normal;
  const natives = kept.map((spelling, index) => {
    const present = spelling === undefined ? index === 0 : spelling.native !== undefined;
    return present ? value : undefined;
  });
  return natives.some((native) => native !== undefined) ? natives : normal;
}
