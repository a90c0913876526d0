import { badQuery, badRequest, ODataError } from '../odata-error';
import { parseFilter, type Filter } from './filter';

/** A field to sort by. */
export interface Sorting {
  readonly field: string;
  readonly descending: boolean;
}

/** A page to be shown inside each record. */
export interface Expansion {
  readonly part: string;
  readonly options: QueryOptions;
}

/** What a query asks for beside its address. Names are not checked yet: only the page knows them. */
export interface QueryOptions {
  readonly filter: Filter | undefined;
  readonly select: readonly string[] | undefined;
  readonly expand: readonly Expansion[];
  readonly orderBy: readonly Sorting[];
  readonly top: number | undefined;
  readonly skip: number;
  readonly count: boolean;
  readonly skipToken: string | undefined;
}

const known = new Set([
  '$filter',
  '$select',
  '$expand',
  '$orderby',
  '$top',
  '$skip',
  '$count',
  '$skiptoken',
  '$schemaversion',
]);

const DEEPEST = 5;

/** Reads the options of a query. Parameters without a dollar sign are not the query's. */
export function queryOptionsOf(query: URLSearchParams): QueryOptions {
  return optionsFrom(
    [...query].filter(([name]) => name.startsWith('$')),
    0,
  );
}

function optionsFrom(pairs: readonly (readonly [string, string])[], depth: number): QueryOptions {
  const given = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (!known.has(name)) {
      throw new ODataError(
        501,
        'BadRequest_MethodNotImplemented',
        `The query option '${name}' is not supported.`,
      );
    }
    if (given.has(name)) throw badRequest(`Query option '${name}' was specified more than once.`);
    given.set(name, value);
  }
  const filter = given.get('$filter');
  return {
    filter: filter === undefined || filter.trim() === '' ? undefined : parseFilter(filter),
    select: namesOf(given.get('$select')),
    expand: expansionsOf(given.get('$expand'), depth),
    orderBy: sortingOf(given.get('$orderby')),
    top: wholeNumber('$top', given.get('$top')),
    skip: wholeNumber('$skip', given.get('$skip')) ?? 0,
    count: booleanOf(given.get('$count')),
    skipToken: given.get('$skiptoken'),
  };
}

function namesOf(text: string | undefined): readonly string[] | undefined {
  if (text === undefined || text.trim() === '*') return undefined;
  return text.split(',').map((name) => name.trim());
}

function sortingOf(text: string | undefined): readonly Sorting[] {
  if (text === undefined || text.trim() === '') return [];
  return text.split(',').map((part) => {
    const [field = '', direction = 'asc', ...rest] = part.trim().split(/\s+/);
    if (field === '' || rest.length > 0 || (direction !== 'asc' && direction !== 'desc')) {
      throw badQuery(`Syntax error in '$orderby=${text}'.`);
    }
    return { field, descending: direction === 'desc' };
  });
}

// `salesOrderLines($select=id;$filter=quantity gt 0),customer`
function expansionsOf(text: string | undefined, depth: number): readonly Expansion[] {
  if (text === undefined || text.trim() === '') return [];
  if (depth >= DEEPEST) throw badRequest('The expansion is too deep.');
  return splitOutside(text, ',').map((part) => {
    const [match, name = '', , inner = ''] = /^(\w+)\s*(\(([\s\S]*)\))?$/.exec(part.trim()) ?? [];
    if (match === undefined) throw badQuery(`Syntax error in '$expand=${text}'.`);
    const pairs = splitOutside(inner, ';')
      .filter((option) => option.trim() !== '')
      .map((option): readonly [string, string] => {
        const [key = '', ...value] = option.split('=');
        return [key.trim(), value.join('=')];
      });
    return { part: name, options: optionsFrom(pairs, depth + 1) };
  });
}

/** Parts between separators that stand in no parentheses and no quotes. */
function splitOutside(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let open = 0;
  let isQuoted = false;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === "'") isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (character === '(') open += 1;
    if (character === ')') open -= 1;
    if (character === separator && open === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw badRequest(`Invalid value '${text}' for the query option '${name}'.`);
  return Number(text);
}

function booleanOf(text: string | undefined): boolean {
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw badRequest(`Invalid value '${text}' for the query option '$count'.`);
}
