import { type JsonPath } from '../json/json-path';
import { sameJson, type JsonValue } from '../json/json-value';
import type { ValueBinding } from './binding';
import { attempt, Unfit, type ValueContext } from './codec';
import type { Rest } from './rest';

/** Native values at the paths of a binding; undefined where the payload has none. */
export type Natives = readonly (JsonValue | undefined)[];

/** What a value leaves in the rest, because writing it would not restore it. */
export interface KeptSpelling {
  /** Paths that the value and its spelling restore. */
  readonly restored: readonly JsonPath[];
  readonly literals: Readonly<Record<string, JsonValue>>;
  readonly absent: readonly string[];
}

/** Compares a value's native form with the one that would be written for it, and keeps what differs. */
export function keptSpelling(
  binding: ValueBinding<JsonValue>,
  natives: Natives,
  value: JsonValue,
  context: ValueContext,
): KeptSpelling {
  const restored: JsonPath[] = [];
  const literals: Record<string, JsonValue> = {};
  const absent: string[] = [];
  const normal = attempt(() => binding.encode(value, context));
  binding.paths.forEach((path, index) => {
    const native = natives[index];
    const isNormal = 'value' in normal && sameJson(normal.value[index], native);
    if (native !== undefined) restored.push(path);
    if (isNormal) return;
    if (native === undefined) absent.push(path.join('.'));
    else literals[path.join('.')] = native;
  });
  return { restored, literals, absent };
}

/**
 * The native values to write for a value: as they were spelt, as far as the spelling still means the value, so that an
 * edit always wins; else in normal form.
 *
 * @throws Unfit when the platform cannot hold the value
 */
export function spell(
  binding: ValueBinding<JsonValue>,
  value: JsonValue,
  rest: Pick<Rest, 'literals' | 'absent'>,
  context: ValueContext,
): Natives {
  const normal = attempt(() => binding.encode(value, context));
  const kept = binding.paths.map((path) => keptAt(path.join('.'), rest));
  if (kept.some((spelling) => spelling !== undefined)) {
    const means = (natives: Natives) => {
      const meant = attempt(() => binding.decode(natives, context));
      return 'value' in meant && sameJson(meant.value ?? null, value);
    };
    const written: Natives = 'value' in normal ? normal.value : [];
    const spelt = kept.map((spelling, index) => (spelling === undefined ? written[index] : spelling.native));
    if (means(spelt)) return spelt;
    if ('value' in normal)
      return binding.alternatives ? whereItStood(written, kept) : partly(written, kept, means);
  }
  if ('problem' in normal) throw new Unfit(normal.problem);
  return normal.value;
}

type Kept = { readonly native: JsonValue | undefined } | undefined;

function keptAt(name: string, { literals, absent }: Pick<Rest, 'literals' | 'absent'>): Kept {
  if (absent?.includes(name)) return { native: undefined };
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
function whereItStood(normal: Natives, kept: readonly Kept[]): Natives {
  const [value] = normal;
  const natives = kept.map((spelling, index) => {
    const stood = spelling === undefined ? index === 0 : spelling.native !== undefined;
    return stood ? value : undefined;
  });
  return natives.some((native) => native !== undefined) ? natives : normal;
}
