import { stringifyJson, valueAt, type JsonObject, type JsonValue, type NativeChange } from '@app/mapper';
import type { Parts } from '../../live/parts';
import { placeOf } from './fields';
import type { Made, There } from './made';
import { quietly } from './quietly';
import { openIn } from './still-open';
import { sameValue, unshownChanges } from './values';
import { lookAt, type Work } from './work';

/**
 * Reads what the platform made of a change. A platform may show it late: where the record is as before, and the answers
 * do not say that it stays so, it is looked at again.
 */
export async function readBack(
  work: Work,
  there: There,
  {
    changes,
    answers,
  }: { readonly changes: readonly NativeChange[]; readonly answers: readonly JsonObject[] },
  parts: Parts,
): Promise<Made> {
  const { command, times, pause } = work;
  const { entityType } = command;
  const wasOpen = openIn(work, there.current, command.changes);
  for (const wait of [0, ...times.readBack]) {
    if (wait > 0) await pause(wait);
    const found = await quietly(lookAt(work, there.id, there.parents));
    if (found === undefined) continue;
    const { payload } = found;
    const open = openIn(work, payload, changes);
    const isOld = ({ path }: NativeChange): boolean =>
      sameValue(entityType, path, valueAt(payload, path), valueAt(there.current, path));
    const says = (shown: Shown, change: NativeChange): boolean =>
      answers.some((answer) => shownIn(work, answer, change) === shown);
    // A change of somebody else right behind ours does not undo that ours was made.
    const left = open.filter((change) => isOld(change) || !says('wanted', change));
    if (left.length > 0 && !left.some((change) => !isOld(change) || says('other', change))) continue;
    parts.take(changes.filter((change) => !open.includes(change)));
    parts.hide(unshownChanges(entityType, changes, payload));
    parts.replace(open.filter((change) => !left.includes(change)));
    parts.refuse(left, madeOf(command.platform, payload, left));
    // So does one of what needed no call.
    const others = openIn(work, payload, parts.wanted).filter((change) => !wasOpen.includes(change));
    parts.replace(others);
    return parts.end(payload);
  }
  // It said that it did it, and does not show it: whoever settles it looks longer.
  return { status: 'uncertain' };
}

type Shown = 'wanted' | 'other' | undefined;

/** What an answer shows of a field of the header: the wanted value, or another one. */
function shownIn({ command: { entityType } }: Work, answer: JsonObject, change: NativeChange): Shown {
  if (placeOf(entityType, change, false).kind !== 'header') return undefined;
  const shown = valueAt(answer, change.path);
  if (shown === undefined) return undefined;
  return sameValue(entityType, change.path, shown, change.value) ? 'wanted' : 'other';
}

/** Fields that a sentence names one by one. */
const MOST_NAMED = 10;

/** Said of fields of which the platform made something else. */
export function madeOf(platform: string, payload: JsonObject, open: readonly NativeChange[]): string {
  const named = open
    .slice(0, MOST_NAMED)
    .map(({ path, value }) => `${path.join('.')} ${short(valueAt(payload, path))}, not ${short(value)}`);
  return `${platform} made ${named.join('; ')}`;
}

function short(value: JsonValue | undefined): string {
  const text = value === undefined ? 'nothing' : stringifyJson(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
