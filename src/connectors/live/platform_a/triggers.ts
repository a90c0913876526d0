import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';

/** An event that a hook is to be told of. */
export interface Trigger {
  readonly resource: string;
  readonly event: (typeof EVENTS)[number];
}

const EVENTS = ['create', 'update', 'delete'] as const;

/** What is read of the platform, by the names that events give it: in lower case, with blanks between words. */
const READ: ReadonlySet<string> = new Set([
  'projects',
  'vendors',
  'company vendors',
  'project vendors',
  'commitments',
  'commitment contracts',
  'work order contracts',
  'work order contract line items',
  'purchase order contracts',
  'purchase order contract line items',
  'requisitions',
  'subcontractor invoices',
  'contract payments',
]);

/** The events of what is read, of those that the platform offers. Which there are differs from company to company. */
export function wantedTriggers(resources: JsonValue): readonly Trigger[] {
  const offered = isJsonArray(resources) ? resources.filter(isJsonObject) : [];
  return offered.flatMap((resource) => {
    const name = nameOf(resource);
    if (name === undefined || !READ.has(plain(name))) return [];
    return EVENTS.filter((event) => ownMember(resource, event) !== false).map((event) => ({
      resource: name,
      event,
    }));
  });
}

function nameOf(resource: JsonObject): string | undefined {
  const name = ownMember(resource, 'resource_name') ?? ownMember(resource, 'name');
  return typeof name === 'string' ? name : undefined;
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim();
}
