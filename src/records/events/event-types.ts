/** Everything of which the feed of events tells. */
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

export type EventType = (typeof eventTypes)[number];

/** Types of events about one canonical object. Their data are made of its history. */
export type ObjectEventType = Extract<EventType, `object.${string}`>;

export function isObjectEvent(type: EventType): type is ObjectEventType {
  return type.startsWith('object.');
}
