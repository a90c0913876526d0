import { ownMember, valueAt, type JsonObject, type JsonValue } from '@app/mapper';
import { idText } from './ids';
import { refuseFields } from './refusals';

/** Which ends of a range of times belong to it. */
export type RangeEnds = 'both' | 'first' | 'neither';

/** Whether a row fits the values that were given for a filter. */
export type Filter = (row: JsonObject, values: readonly string[], ends: RangeEnds) => boolean;
export type Filters = Readonly<Record<string, Filter>>;

/** Rows by ID, or by the ID of something they refer to. */
export function byId(path: string): Filter {
  return (row, values) => {
    const id = idText(fieldAt(row, path));
    return id !== undefined && values.flatMap((value) => value.split(',')).includes(id);
  };
}

export function byText(path: string): Filter {
  return (row, values) => {
    const value = fieldAt(row, path);
    return typeof value === 'string' && values.includes(value);
  };
}

export function byFlag(path: string): Filter {
  return (row, values) => String(fieldAt(row, path) === true) === values.at(-1);
}

/** Rows that have the text somewhere in one of these fields, in any case. */
export function bySearch(...paths: readonly string[]): Filter {
  return (row, values) => {
    const sought = (values.at(-1) ?? '').toLowerCase();
    return paths.some((path) => {
      const value = fieldAt(row, path);
      return typeof value === 'string' && value.toLowerCase().includes(sought);
    });
  };
}

/** Rows whose moment is within `from...to`, each a date or an ISO instant. */
export function byTime(path: string): Filter {
  return (row, values, ends) => {
    const range = rangeOf(values.at(-1) ?? '', path);
    const value = fieldAt(row, path);
    const moment = typeof value === 'string' ? Date.parse(value) : NaN;
    if (Number.isNaN(moment)) return false;
    const afterStart = ends === 'neither' ? moment > range.from : moment >= range.from;
    return afterStart && (ends === 'both' ? moment <= range.to : moment < range.to);
  };
}

/** The filters of a request by name, each with all its values. `filters[id][]=1` and `filters[id]=1` are the same. */
export function filtersIn(query: URLSearchParams): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [name, value] of query) {
    const [, filter] = /^filters\[(\w+)\](?:\[\])?$/.exec(name) ?? [];
    if (filter !== undefined) found.set(filter, [...(found.get(filter) ?? []), value]);
  }
  return found;
}

const date = /^\d{4}-\d\d-\d\d$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

function rangeOf(text: string, name: string): { readonly from: number; readonly to: number } {
  const [first = '', second = first, ...rest] = text.split('...');
  const [from, to] = [first, second].map((end, place) => momentOf(end, place === 1));
  if (from === undefined || to === undefined || rest.length > 0) {
    throw refuseFields({ [`filters[${name}]`]: ['is not a range of times'] }, 400);
  }
  return { from, to };
}

// A date as the end of a range includes its day.
function momentOf(text: string, isEnd: boolean): number | undefined {
  if (date.test(text)) return Date.parse(`${text}T${isEnd ? '23:59:59.999' : '00:00:00'}Z`);
  const moment = instant.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(moment) ? undefined : moment;
}

function fieldAt(row: JsonObject, path: string): JsonValue | undefined {
  return path.includes('.') ? valueAt(row, path.split('.')) : ownMember(row, path);
}
