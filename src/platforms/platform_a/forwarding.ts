import { isJsonArray, isJsonObject, ownMember, stringifyJson, type JsonValue } from '@app/mapper';
import type { ForwardingForm, PlacedRequest } from '../live/forwarding/forward-request';
import { platformAAccess } from './access';
import type { PlatformASettings } from './credentials';

/** The paths that callers may address on platform_a: those of the company, and of the projects in the settings. */
export const platformAForwarding: ForwardingForm<PlatformASettings> = {
  access: platformAAccess,
  base: ({ api_url }) => api_url,
  headers: ({ company_id }) => ({ accept: 'application/json', 'procore-company-id': company_id }),
  alsoSendable: ['idempotency-token'],
  problems: (settings, request) => [
    ...pathProblems(settings, request),
    ...updatesProblems(settings, request),
    ...scopesOf(request).flatMap(([where, name, id]) => scopeProblems(settings, where, name, id)),
  ],
};

function pathProblems(
  { company_id, projects }: PlatformASettings,
  { segments }: PlacedRequest,
): readonly string[] {
  const [root = '', version = ''] = segments;
  if (root !== 'rest' || !/^v\d+\.\d+$/.test(version)) return ['path must begin with /rest/ and a version'];
  return namesIn(segments).flatMap((name, place) => {
    const id = segments[place + 1];
    if (name === 'companies' && id !== company_id) return ['path leads to another company'];
    if (name === 'webhooks') return ['path leads to the webhooks, which the service keeps itself'];
    // A word leads to what has no ID. Anything else may be read as a number: `+8` and ` 8` are 8.
    const isOther =
      name === 'projects' && id !== undefined && !/^[a-z]/i.test(id) && projects?.includes(id) === false;
    return isOther ? ['path leads to a project that is not among those of the connection'] : [];
  });
}

/** The segments as the platform reads them: it ignores their endings, as in `companies.json`. */
function namesIn(segments: readonly string[]): readonly string[] {
  return segments.map((segment) => segment.toLowerCase().split('.', 1).join());
}

/**
 * Problems of a call that writes many projects. The call names each project by its own ID or by the ID of another
 * system, which may belong to any project. An entry with neither creates a project.
 */
function updatesProblems(
  { projects }: PlatformASettings,
  { segments, query, body }: PlacedRequest,
): readonly string[] {
  if (projects === undefined || namesIn(segments).slice(-2).join('/') !== 'projects/sync') return [];
  const inQuery = query.some(([name]) => /\bupdates\b/.test(name));
  const updates = body !== undefined && isJsonObject(body) ? ownMember(body, 'updates') : undefined;
  const isWithin = (update: JsonValue): boolean => {
    if (!isJsonObject(update)) return false;
    const id = ownMember(update, 'id');
    if (id === undefined) return ownMember(update, 'origin_id') === undefined;
    return projects.includes(idIn(id) ?? '');
  };
  const areWithin = updates === undefined || (isJsonArray(updates) && updates.every(isWithin));
  return [
    ...(inQuery ? ['query must not have updates: the body has them'] : []),
    ...(areWithin ? [] : ['body.updates names a project that is not among those of the connection']),
  ];
}

/** A name of a scope beside the path, and the ID as text; undefined for a value that is no ID. */
type NamedScope = readonly [where: string, name: string, id: string | undefined];

const scopeNames: readonly string[] = ['company_id', 'project_id'];

/** Lists of such IDs, as of the projects that a configuration of an app is for. */
const scopeLists: readonly string[] = ['company_ids', 'project_ids'];

/**
 * The IDs outside the path that name a scope, at any depth of the query and the body, because the platform reads values
 * inside its wrappers and lists.
 */
function scopesOf({ query, body }: PlacedRequest): readonly NamedScope[] {
  // The platform takes `name[]` for a list, and servers of its kind take `[name]` and `name]` for the name.
  const ofQuery = query.flatMap(([given, id]) => {
    const parts = given.split(/[[\]]+/).filter((part) => part !== '');
    const isList = (name: string): boolean => parts[0] === name && given !== name;
    const one = scopeNames
      .filter((name) => parts.includes(name))
      .map((name) => ['query', name, isList(name) ? undefined : id] as const);
    return [
      ...one,
      ...scopeLists.filter((name) => parts.includes(name)).map((name) => ['query', name, id] as const),
    ];
  });
  return [...ofQuery, ...scopesIn(body)];
}

function scopesIn(body: JsonValue | undefined): readonly NamedScope[] {
  if (isJsonArray(body)) return body.flatMap(scopesIn);
  if (body === undefined || !isJsonObject(body)) return [];
  return Object.entries(body).flatMap(([name, value]): readonly NamedScope[] => {
    if (scopeNames.includes(name)) return [['body', name, idIn(value)]];
    if (!scopeLists.includes(name)) return scopesIn(value);
    return (isJsonArray(value) ? value : [value]).map((one) => ['body', name, idIn(one)]);
  });
}

function scopeProblems(
  { company_id, projects }: PlatformASettings,
  where: string,
  name: string,
  id: string | undefined,
): readonly string[] {
  if (name.startsWith('company_')) return id === company_id ? [] : [`${where}.${name} names another company`];
  if (projects === undefined || (id !== undefined && projects.includes(id))) return [];
  return [`${where}.${name} names a project that is not among those of the connection`];
}

function idIn(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return value === undefined || value === null || typeof value === 'boolean'
    ? undefined
    : stringifyJson(value);
}
