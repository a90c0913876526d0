/** The types of events in the feed. docs/events.md describes them. */
export const eventTypes = [
  'object.created',
  'object.changed',
  'object.deleted',
  'object.restored',
  'object.merged',
  'object.parted',
  'propagation.settled',
  'propagation.held',
  'case.opened',
  'case.closed',
  'case.accepted',
  'decision.made',
  'decision.withdrawn',
  'statement.signed',
  'statement.signoff_outdated',
  'connection.failing',
  'connection.recovered',
  'run.completed',
  'deletions.held',
  'webhook_endpoint.disabled',
  'field.ready',
] as const;

/** See {@link eventTypes}. */
export type EventType = (typeof eventTypes)[number];

/** Types of events about one canonical object. Their data is read from the history of the object. */
export type ObjectEventType = Extract<EventType, `object.${string}`>;

/** Whether an event is about the history of one canonical object. */
export function isObjectEvent(type: EventType): type is ObjectEventType {
  return type.startsWith('object.');
}
