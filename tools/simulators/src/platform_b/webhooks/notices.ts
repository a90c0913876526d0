import type { JsonObject } from '@app/mapper';
import { kindOfTable } from '../company/document-kinds';
import type { TableName } from '../model/entity-set';
import { textOf } from '../store/row';
import type { Change } from '../store/store';
import type { Subscription } from './subscription';
import { printedInstant } from '../model/instant';

/** Beyond so many changes of a page, one notice stands for all. */
const MOST_NOTICES = 1000;

/** A change of a record to which clients may have subscribed. */
export interface Event {
  readonly table: TableName;
  readonly id: string;
  readonly changeType: 'created' | 'updated' | 'deleted';
  readonly at: number;
}

/** The events of changes. A change of a line is one of its document. */
export function eventsOf(changes: readonly Change[], at: number): readonly Event[] {
  const events = new Map<string, Event>();
  for (const { table, id, before, after } of changes) {
    const kind = kindOfTable(table);
    const isLine = kind !== undefined && kind.lines === table;
    const row = after ?? before;
    if (row === undefined) continue;
    const event: Event = isLine
      ? { table: kind.table, id: textOf(row, 'documentId'), changeType: 'updated', at }
      : {
          table,
          id,
          changeType: after === undefined ? 'deleted' : before === undefined ? 'created' : 'updated',
          at,
        };
    const key = `${event.table} ${event.id}`;
    // What happened to the document itself says more than what happened to its lines.
    if (!events.has(key) || !isLine) events.set(key, event);
  }
  return [...events.values()];
}

/** The notices for one subscription: one for each record and kind of change, or one for very many. */
export function noticesFor(subscription: Subscription, events: readonly Event[]): readonly JsonObject[] {
  const base = {
    subscriptionId: subscription.id,
    clientState: subscription.clientState,
    expirationDateTime: printedInstant(new Date(subscription.expires)),
  };
  const first = events[0];
  if (first !== undefined && events.length > MOST_NOTICES) {
    const since = printedInstant(new Date(first.at));
    return [
      {
        ...base,
        resource: `${subscription.resource}?$filter=lastDateTimeModified gt ${since}`,
        changeType: 'collection',
        lastModifiedDateTime: printedInstant(new Date(events.at(-1)?.at ?? first.at)),
      },
    ];
  }
  const notices = new Map<string, JsonObject>();
  for (const { id, changeType, at } of events) {
    notices.set(`${id} ${changeType}`, {
      ...base,
      resource: `${subscription.resource}(${id})`,
      changeType,
      lastModifiedDateTime: printedInstant(new Date(at)),
    });
  }
  return [...notices.values()];
}
