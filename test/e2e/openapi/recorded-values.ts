/**
 * Keeps the examples of the API description as they were recorded where the service answers the same. IDs and times differ from
 * one run to the next; written as they come, each record of the examples would change hundreds of lines that say the same.
 */
export interface Example {
  readonly operationId: string;
  readonly name: string;
}

/** A time in UTC; or a UUID, an ID with a prefix, a digest, an entity tag, a cursor, a key; seconds until a retry; or the number of a new payment. */
const values =
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|[0-9A-Za-z+/=_-]{20,}|(?<=retry in )\d{1,3}(?= s)|(?<![\w-])G\d{6}(?!\d)/g;

/**
 * The examples with the values of the recorded ones in place of their own: times where an example was recorded with a time at the
 * same place, other values wherever they occur. A value that was not recorded stays; a time moves into the recorded run.
 *
 * @param fresh what the service answered just now, as plain JSON
 * @param recorded what was recorded before
 * @param options.since when the run began; earlier times belong to the records and stay
 * @param options.constants text that holds the values that no run changes
 */
export function withRecordedValues<T extends Example>(
  fresh: readonly T[],
  recorded: readonly Example[],
  options: { readonly since: Date; readonly constants: string },
): readonly T[] {
  const before = new Map(recorded.map((example) => [keyOf(example), example]));
  const isConstant = (value: string) => options.constants.includes(value);
  const names = new Map<string, string>();
  const taken = new Set<string>();
  let shift: number | undefined;
  for (const example of fresh) {
    for (const [now, then] of alignedValues(example, before.get(keyOf(example)))) {
      if (isTime(now)) {
        if (isOfRun(now)) shift ??= wholeSeconds(then) - wholeSeconds(now);
      } else if (
        !isPause(now) &&
        !names.has(now) &&
        !taken.has(then) &&
        !isConstant(now) &&
        !isConstant(then)
      ) {
        names.set(now, then);
        taken.add(then);
      }
    }
  }
  return fresh.map((example) => rewrite(example, before.get(keyOf(example))) as T);

  function rewrite(now: unknown, then: unknown): unknown {
    if (typeof now === 'string') return rewriteText(now, then);
    if (Array.isArray(now)) return now.map((item, index) => rewrite(item, memberOf(then, index)));
    if (typeof now !== 'object' || now === null) return now;
    return Object.fromEntries(
      Object.entries(now).map(([name, member]) => [name, rewrite(member, memberOf(then, name))]),
    );
  }

  function rewriteText(now: string, then: unknown): string {
    const kept = typeof then === 'string' && formOf(then) === formOf(now) ? valuesOf(then) : [];
    let index = 0;
    return replaceValues(now, (value) => {
      const other = kept[index++];
      if (isPause(value)) return other ?? value;
      if (!isTime(value)) return names.get(value) ?? value;
      return isOfRun(value) ? (other ?? moved(value)) : value;
    });
  }

  function isOfRun(time: string): boolean {
    return wholeSeconds(time) >= Math.floor(options.since.getTime() / 1000);
  }

  function moved(time: string): string {
    const seconds = new Date((wholeSeconds(time) + (shift ?? 0)) * 1000).toISOString();
    return seconds.slice(0, 19) + time.slice(19);
  }
}

/** Pairs of values at the same place of two examples, where the texts around them are the same. */
function alignedValues(now: unknown, then: unknown): readonly (readonly [string, string])[] {
  if (typeof now === 'string') {
    if (typeof then !== 'string' || formOf(then) !== formOf(now)) return [];
    const others = valuesOf(then);
    return valuesOf(now).flatMap((value, index) => {
      const other = others[index];
      return other === undefined ? [] : [[value, other] as const];
    });
  }
  if (typeof now !== 'object' || now === null) return [];
  return Object.entries(now).flatMap(([name, member]) => alignedValues(member, memberOf(then, name)));
}

/** A text without what differs from run to run: its words, and the kinds of values between them. */
function formOf(text: string): string {
  return replaceValues(text, (value) => {
    if (isTime(value)) return value.replace(/\d/g, '0');
    return `<${isVersion(value) ? '' : (/^[a-z]+_/.exec(value)?.[0] ?? '')}>`;
  });
}

function valuesOf(text: string): readonly string[] {
  return (text.match(values) ?? []).filter((value) => !isWords(value));
}

function replaceValues(text: string, replacement: (value: string) => string): string {
  return text.replace(values, (value) => (isWords(value) ? value : replacement(value)));
}

/** Names of fields and paths are as long as IDs: `date_payment_initiated`, `lastModifiedDateTime`. */
function isWords(value: string): boolean {
  return value.split(/[_/+-]|(?=[A-Z])/).every((word) => /^(?:[A-Z]?[a-z]{2,}|)$/.test(word));
}

/** A digest of 16 bytes as base64url. It may begin as an ID with a prefix does. */
function isVersion(value: string): boolean {
  return /^[0-9A-Za-z_-]{22}$/.test(value) && !/^evt_[0-9a-f]{16}_\d$/.test(value);
}

function isTime(token: string): boolean {
  return token.at(10) === 'T' && token.endsWith('Z') && token.at(4) === '-';
}

/** Seconds until a retry, which depend on when in its window a request comes. */
function isPause(token: string): boolean {
  return /^\d{1,3}$/.test(token);
}

function wholeSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}

function memberOf(value: unknown, name: string | number): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === String(name))?.[1]
    : undefined;
}

function keyOf({ operationId, name }: Example): string {
  return `${operationId} ${name}`;
}
