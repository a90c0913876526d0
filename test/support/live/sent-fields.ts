import {
  isJsonArray,
  isJsonObject,
  ownMember,
  parseJsonText,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import type { SimulatedRequest } from '../../../tools/simulators/src/server/exchange';
import type { Platform } from '../customers/portfolio';

/** Members of requests that stand for the amount of a document, which is written through its lines. */
const lineAmounts = {
  platform_a: { line_items: 'grand_total', requisition_items: 'summary.current_payment_due' },
  platform_b: { salesOrderLines: 'totalAmountExcludingTax', salesInvoiceLines: 'totalAmountIncludingTax' },
} as const;

/** Members that identify the place of a record and are not fields of it. */
const places: ReadonlySet<string> = new Set(['company_id', 'journalId', 'lineNumber']);

/** Names of platform_a for the same field, in a record and in a request body. */
const bodyNames: Readonly<Record<string, string>> = {
  override_start_date: 'actual_start_date',
  override_end_date: 'projected_finish_date',
  currency_iso_code: 'currency_configuration_id',
  currency_configuration: 'currency_configuration_id',
};

/** A field that a request body sets. */
export interface SentField {
  readonly name: string;
  readonly value: JsonValue;
}

/** The fields that the requests of one write set, named as {@link shownName} names those of a dry run. */
export function sentFields(platform: Platform, requests: readonly SimulatedRequest[]): readonly SentField[] {
  return requests.flatMap((request) => {
    const body = objectIn(request.body);
    return platform === 'platform_a' ? sentToA(request.path, body) : sentToB(request.path, body);
  });
}

/** The name of a record's field in request bodies. */
export function shownName(platform: Platform, path: string): string {
  if (platform === 'platform_b') return path;
  if (path === 'currency_configuration.currency_iso_code') return 'currency_configuration_id';
  const custom = /^custom_fields\.(custom_field_\d+)/.exec(path);
  return custom?.[1] ?? path.replace(/^(\w+)\.id$/, '$1_id');
}

function sentToA(path: string, body: JsonObject): readonly SentField[] {
  if (path.endsWith('/actions/add')) return [];
  for (const [part, total] of Object.entries(lineAmounts.platform_a)) {
    if (path.includes(`/${part}`) || Object.hasOwn(body, part)) return [{ name: total, value: null }];
  }
  return Object.entries(body).flatMap(([name, value]) =>
    isJsonObject(value) ? fieldsOf(value) : fieldsOf({ [name]: value }),
  );
}

function sentToB(path: string, body: JsonObject): readonly SentField[] {
  const requests = ownMember(body, 'requests');
  if (isJsonArray(requests)) {
    return requests.filter(isJsonObject).flatMap((request) => {
      const [url, inner] = [ownMember(request, 'url'), ownMember(request, 'body')];
      return isJsonObject(inner) ? sentToB(typeof url === 'string' ? url : '', inner) : [];
    });
  }
  const lines = Object.entries(lineAmounts.platform_b);
  const line = lines.find(([part]) => path.includes(`/${part}`));
  if (line !== undefined) return [{ name: line[1], value: null }];
  return fieldsOf(body).map(({ name, value }) => ({
    name: lines.find(([part]) => part === name)?.[1] ?? name,
    value,
  }));
}

function fieldsOf(body: JsonObject): readonly SentField[] {
  return Object.entries(body)
    .filter(([name]) => !places.has(name) && !name.endsWith('_check'))
    .map(([name, value]) => ({ name: bodyNames[name] ?? name, value }));
}

function objectIn(text: string): JsonObject {
  const value = parseJsonText(text);
  return isJsonObject(value) ? value : {};
}
