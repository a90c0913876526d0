import { committedDocument } from './api-description';

/** A request that the description of the API shows, with places for values that the client chooses. */
export interface ExampleRequest {
  /** `GET /objects/{canonical_id}` */
  readonly route: string;
  readonly method: string;
  readonly template: string;
  readonly body: unknown;
  readonly slots: readonly Slot[];
  /** Values of the parameters of the path, where they are not the slot that is filled. */
  readonly usual: Readonly<Record<string, string>>;
}

/** A place of a request where a text goes. */
export type Slot =
  | { readonly in: 'path' | 'query' | 'header'; readonly name: string }
  | { readonly in: 'body'; readonly path: readonly (string | number)[] };

/** A request as it is sent. */
export interface FilledRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly example?: unknown }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }>
    >;
  };
}

const BASE = '/api/v1';
/** A trace is of no customer. */
const notOffered = new Set(['traceparent']);

/** Each operation of the committed description with each of its examples, and one without a body where it takes none. */
export function exampleRequests(): readonly ExampleRequest[] {
  const { paths } = committedDocument() as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [], requestBody }]) => {
      const template = path.slice(BASE.length);
      const examples = Object.values(requestBody?.content['application/json']?.examples ?? {});
      const bodies = requestBody === undefined ? [undefined] : examples.map(({ value }) => value);
      const named = parameters
        .filter(({ name }) => !notOffered.has(name))
        .map(({ name, in: place }): Slot => ({ in: place as 'path' | 'query' | 'header', name }));
      return bodies.map((body): ExampleRequest => ({
        route: `${method.toUpperCase()} ${template}`,
        method: method.toUpperCase(),
        template,
        body,
        usual,
        slots: [...named, ...textsOf(body).map((at): Slot => ({ in: 'body', path: at }))],
      }));
    }),
  );
}

const usual = {
  id: 'none',
  canonical_id: 'none',
  platform: 'platform_a',
  entity_type: 'payment',
  field: 'amount',
  name: 'paid_above_billed',
  from: 'USD',
  to: 'JPY',
};

/** IDs of what a customer has, by the first word of the routes that are about it. */
export type OwnIds = Readonly<
  Record<'objects' | 'propagations' | 'cases' | 'decisions' | 'signoffs' | 'webhook-endpoints', string>
>;

/** The request about what a customer has; a removal about what it has not, for it is to be removed by nobody. */
export function about(request: ExampleRequest, ids: OwnIds, removed: string): ExampleRequest {
  const [, kind] = /^\/(?:reconciliation\/)?([\w-]+)\/\{/.exec(request.template) ?? [];
  const own = Object.entries(ids).find(([name]) => name === kind)?.[1] ?? '';
  const id = request.method === 'DELETE' ? removed : own;
  const text = request.body === undefined ? undefined : JSON.stringify(request.body);
  return {
    ...request,
    usual: { ...request.usual, id, canonical_id: id },
    body:
      text === undefined
        ? undefined
        : JSON.parse(text.replace(/pay_[0-9a-f]{32}/g, ids.objects).replace(/case_[0-9a-f]{32}/g, ids.cases)),
  };
}

/** Paths of the texts in a body. */
export function textsOf(
  value: unknown,
  path: readonly (string | number)[] = [],
): (readonly (string | number)[])[] {
  if (typeof value === 'string') return [path];
  if (Array.isArray(value)) return value.flatMap((item, place) => textsOf(item, [...path, place]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => textsOf(member, [...path, name]));
}

/** A body with a value at a path. */
function withText(value: unknown, [first, ...rest]: readonly (string | number)[], text: string): unknown {
  if (first === undefined) return text;
  if (Array.isArray(value))
    return value.map((item, place) => (place === first ? withText(item, rest, text) : item));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, member]) => [
      name,
      name === first ? withText(member, rest, text) : member,
    ]),
  );
}

/** The request with a text in one of its slots. */
export function filled(
  { method, template, body, usual }: ExampleRequest,
  slot: Slot,
  text: string,
): FilledRequest {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    partOf(slot.in === 'path' && slot.name === name ? text : (usual[name] ?? '')),
  );
  const query = new URLSearchParams({
    ...(method === 'GET' && template === '/objects' && { platform: 'platform_a', entity_type: 'payment' }),
    ...(slot.in === 'query' && { [slot.name]: text }),
  }).toString();
  return {
    method,
    path: query === '' ? path : `${path}?${query}`,
    headers: slot.in === 'header' ? { [slot.name]: slot.name.startsWith('If-') ? `"${text}"` : text } : {},
    body: slot.in === 'body' ? withText(body, slot.path, text) : body,
  };
}

/** A part of a path. Nothing and dots would make another path of it. */
const partOf = (text: string): string => (/^\.{0,2}$/.test(text) ? 'none' : encodeURIComponent(text));
