import type { JsonObject } from '@app/mapper';
import type { Reply } from '../../server';
import type { Company } from '../company/company';
import type { EntitySet } from '../model/entity-set';
import { ODataError, refusedByRule } from '../odata-error';
import { GENERAL } from '../model/master-pages';
import { requiredValue } from '../query/filter';
import type { QueryOptions } from '../query/options';
import { countOf, walkedPage, type Walk } from '../query/walk';
import { preferencesOf, type ApiCall } from './api-call';
import { keyOfPart, shown, type View } from './present';
import type { Target } from './target';

/** Faults of the next pages, as planned over the control port. */
export interface PagePlan {
  /** The number of next links that lead to their own page again. */
  repeatedLinks: number;
}

type ListTarget = Extract<Target, { readonly kind: 'list' }>;

/** A page of a list, or the count of it. */
export function listReply(
  view: View,
  call: ApiCall,
  target: ListTarget,
  options: QueryOptions,
  plan: PagePlan,
): Reply {
  const { company } = view;
  const { pageSize } = preferencesOf(call);
  const largest = company.switches.get('largestPage');
  if (pageSize !== undefined && pageSize > largest) {
    throw new ODataError(413, 'BadRequest', `The page size ${pageSize} is more than ${largest} entities.`);
  }
  const walk = walkOf(view, target, options, pageSize ?? largest);
  checkFilterRules(view, target, options);
  if (target.isCount) return { status: 200, text: String(countOf(walk)) };
  const { rows, next } = walkedPage(walk);
  const link = next === undefined ? undefined : nextLink(call, repeated(plan) ? options.skipToken : next);
  const json: JsonObject = {
    '@odata.context': contextOf(company, call, target.set, false),
    ...(options.count && { '@odata.count': countOf(walk) }),
    value: rows.map((row) => shown(view, target.set, row, options)),
    ...(link !== undefined && { '@odata.nextLink': link }),
  };
  return {
    status: 200,
    json,
    ...(pageSize !== undefined && { headers: { 'preference-applied': `odata.maxpagesize=${pageSize}` } }),
  };
}

/** The `@odata.context` of an answer. */
export function contextOf(company: Company, call: ApiCall, set: EntitySet, single: boolean): string {
  return `${call.root}/$metadata#companies(${company.facts.id})/${set.name}${single ? '/$entity' : ''}`;
}

function walkOf(view: View, { set, within }: ListTarget, options: QueryOptions, pageSize: number): Walk {
  const ordered = keyOfPart(set);
  const numbered =
    view.company.switches.get('walkKey') === 'number' && set.fields.has('number') ? ['number'] : [];
  return {
    set: listedSet(set, options),
    table: view.reading.table(set.table),
    options,
    ...(within !== undefined && { within }),
    key: ordered.length > 0 ? ordered : numbered,
    pageSize,
  };
}

// Lists batches of other templates than the general one only if the filter names their template.
function listedSet(set: EntitySet, options: QueryOptions): EntitySet {
  if (set.name !== 'journals') return set;
  const isAsked = requiredValue(options.filter, 'templateDisplayName') !== undefined;
  return isAsked ? set : { ...set, shows: ({ templateDisplayName }) => templateDisplayName === GENERAL };
}

// Lines and payments can be listed only by their parent or by their own key.
function checkFilterRules({ company, reading }: View, target: ListTarget, { filter }: QueryOptions): void {
  const { set, within } = target;
  const parent = set.fields.has('documentId')
    ? 'documentId'
    : set.table === 'customerPayments'
      ? 'journalId'
      : undefined;
  if (parent === undefined || within !== undefined) return;
  if (requiredValue(filter, parent) !== undefined || requiredValue(filter, 'id') !== undefined) return;
  if (parent === 'documentId') {
    throw refusedByRule('You must specify an Id or a Document Id to get the lines.');
  }
  // The check runs on the first row. Without rows, nothing is refused.
  const isEmpty = reading.table(set.table).size === 0;
  if (isEmpty && company.switches.get('emptyPaymentList') === 'answered') return;
  throw refusedByRule('You must specify a journal batch ID or a journal ID to get a journal line.');
}

function repeated(plan: PagePlan): boolean {
  if (plan.repeatedLinks === 0) return false;
  plan.repeatedLinks -= 1;
  return true;
}

function nextLink(call: ApiCall, token: string | undefined): string {
  const kept = [...call.query].filter(([name]) => !['$skiptoken', '$skip', 'aid'].includes(name));
  const skip = token === undefined ? call.query.get('$skip') : null;
  const pairs = [
    ...kept,
    ['aid', 'FIN'],
    ...(skip === null ? [] : [['$skip', skip]]),
    ...(token === undefined ? [] : [['$skiptoken', token]]),
  ];
  // The links can be followed, so the platform escapes no slash itself.
  const query = pairs
    .map(([name = '', value = '']) => `${name}=${encodeURIComponent(value).replaceAll('%2F', '/')}`)
    .join('&');
  return `${call.root}/${call.path}?${query}`;
}
