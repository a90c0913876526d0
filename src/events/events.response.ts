import {
  entityTypes,
  platformNames,
  storedEntityTypes,
  type EntityType,
  type JsonObject,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import type { Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema, IntersectionType } from '@nestjs/swagger';
import { OneOfClasses } from '../common/openapi/one-of-classes.decorator';
import { caseSubjects } from '../common/openapi/shapes/case-subjects.response';
import {
  FieldChangeResponse,
  OriginResponse,
  PlatformMapping,
} from '../common/openapi/shapes/change.response';
import { caseKinds, type CaseKind } from '../records/events/case-kinds';
import { eventTypes, isObjectEvent, type EventType } from '../records/events/event-types';
import {
  nullableDay,
  nullableText,
  nullableTime,
  nullableType,
  orNull,
} from '../common/openapi/schemas/nullable-schemas';
import { pascalCase } from '../common/openapi/schemas/schema-names';
import { ForEachPlatform } from '../common/openapi/for-each-platform.decorator';

const typesOf = (subject: string): EventType[] => eventTypes.filter((type) => type.startsWith(`${subject}.`));
const counts = { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } } as const;

/** What every event has. */
class EventResponse {
  @ApiProperty({ description: 'ID of the event. No other event of any customer has it.' })
  readonly id: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Its number in the customer’s feed. Each event has the next number.',
  })
  readonly sequence: number;

  @ApiProperty({ format: 'date-time', description: 'When it happened, by the database’s clock.' })
  readonly at: string;
}

/** Creates the class of the events of some types, with the class of their data. */
function EventOf<Data>(types: readonly EventType[], dataType: Type<Data>) {
  class TypedEvent extends EventResponse {
    @ApiProperty({ enum: types })
    readonly type: EventType;

    @ApiProperty({ type: dataType })
    readonly data: Data;
  }
  return TypedEvent;
}

/** The data of an event about an object. */
class ObjectEventData {
  @ApiProperty({ enum: storedEntityTypes })
  readonly entity_type: StoredEntityType;

  @ApiProperty({ description: 'ID of the object. `object.merged`: the ID that is an alias from then on.' })
  readonly canonical_id: string;

  @ApiProperty({
    ...nullableText,
    description: 'Version of the object after the change; null if it has none.',
  })
  readonly version: string | null;

  @ApiProperty({ type: OriginResponse })
  readonly origin: OriginResponse;

  @ApiProperty({
    type: [FieldChangeResponse],
    description:
      'For `object.changed`: the fields that changed. As in the history of the object. Empty if only its records changed, or only what a platform stamps or computes.',
  })
  readonly fields: readonly FieldChangeResponse[];

  @ApiProperty({
    type: [PlatformMapping],
    description: 'Its records; for a deleted object the records that it had.',
  })
  readonly records: readonly PlatformMapping[];

  @ApiProperty({
    ...orNull({ type: 'object', additionalProperties: true }),
    description:
      'The canonical object after the change; for a deleted object its last state. Null if history no longer has it.',
  })
  readonly object: JsonObject | null;

  @ApiPropertyOptional({ description: 'For `object.merged`: ID of the object that it became part of.' })
  readonly into?: string;

  @ApiPropertyOptional({ description: 'For `object.parted`: ID of the object that had its record.' })
  readonly from?: string;
}

/** A canonical object came, changed, went, was merged or parted. */
@ApiSchema({ name: 'ObjectEvent' })
export class ObjectEvent extends EventOf(
  eventTypes.filter((type) => isObjectEvent(type)),
  ObjectEventData,
) {}

/** The outcome of a change on one platform, as events show it. */
class EventOutcome {
  @ApiProperty({ description: 'As in the answer of the propagation.' })
  readonly status: string;

  @ApiPropertyOptional({ description: 'Native ID of the record.' })
  readonly platform_id?: string;

  @ApiPropertyOptional({ type: Boolean, enum: [true] })
  readonly created?: true;

  @ApiPropertyOptional()
  readonly reason?: string;
}

/** Outcomes by platform. */
@ForEachPlatform(ApiPropertyOptional({ type: EventOutcome }))
class EventOutcomes {}

/** The data of an event about a propagation. */
class PropagationEventData {
  @ApiProperty({ format: 'uuid' })
  readonly propagation_id: string;

  @ApiProperty({ enum: storedEntityTypes })
  readonly entity_type: StoredEntityType;

  @ApiProperty()
  readonly canonical_id: string;

  @ApiProperty({ enum: ['held', 'rejected', 'settled'], description: 'As in `GET /propagations`.' })
  readonly state: string;

  @ApiProperty({ type: EventOutcomes })
  readonly propagated: Readonly<Partial<Record<PlatformName, EventOutcome>>>;

  @ApiProperty()
  readonly request_id: string;

  @ApiProperty(nullableText)
  readonly reason: string | null;

  @ApiProperty(nullableText)
  readonly decided_by: string | null;
}

/** All platforms have decided on a change, or one of its writes waits for a person. */
@ApiSchema({ name: 'PropagationEvent' })
export class PropagationEvent extends EventOf(typesOf('propagation'), PropagationEventData) {}

/** Why a difference is accepted. */
class EventAcceptance {
  @ApiProperty()
  readonly reason: string;

  @ApiProperty()
  readonly decided_by: string;

  @ApiProperty({ format: 'date-time' })
  readonly at: string;

  @ApiProperty({ ...nullableText, description: 'When the acceptance ends, as it was given.' })
  readonly until: string | null;
}

/** The data that events about cases of all kinds have. */
class CommonCaseEventData {
  @ApiProperty({ description: 'For `GET /reconciliation/cases/{id}`.' })
  readonly case_id: string;

  @ApiProperty({ enum: storedEntityTypes })
  readonly entity_type: StoredEntityType;

  @ApiProperty()
  readonly canonical_id: string;

  @ApiProperty({ ...nullableText, description: 'What names the object, such as its number.' })
  readonly label: string | null;

  @ApiProperty({ enum: platformNames, isArray: true, description: 'The two platforms that are compared.' })
  readonly platforms: readonly PlatformName[];

  @ApiProperty(nullableText)
  readonly project_id: string | null;

  @ApiProperty({
    ...orNull({ type: 'object', additionalProperties: true }),
    description: 'The amounts by platform, in minor units.',
  })
  readonly amounts: JsonObject | null;

  @ApiProperty(nullableDay)
  readonly document_date: string | null;

  @ApiProperty(nullableDay)
  readonly due_date: string | null;

  @ApiProperty({ format: 'date-time', description: 'When the service first saw the case.' })
  readonly opened_at: string;

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'For `case.closed`: the time of the change that settled it.',
  })
  readonly closed_at?: string;

  @ApiPropertyOptional({
    ...nullableText,
    description: 'For `case.closed`: what settled it, if that is known.',
  })
  readonly closed_by?: string | null;

  @ApiPropertyOptional({
    ...nullableText,
    description: 'ID of the run, propagation, decision or change that settled it.',
  })
  readonly closed_by_id?: string | null;

  @ApiPropertyOptional({ type: EventAcceptance, description: 'For `case.accepted`: the acceptance.' })
  readonly accepted?: EventAcceptance;
}

/** Creates the class of the data of an event about a case of one kind. @param kind of the case */
function caseEventDataOf(kind: CaseKind): Type<CommonCaseEventData> {
  class CaseEventDataOfKind extends IntersectionType(CommonCaseEventData, caseSubjects[kind]) {
    @ApiProperty({ enum: [kind] })
    readonly kind: CaseKind;
  }
  ApiSchema({ name: `${pascalCase(kind)}CaseEventData` })(CaseEventDataOfKind);
  return CaseEventDataOfKind;
}

/** The data of an event about a case. */
@OneOfClasses({
  name: 'CaseEventData',
  description: 'The case. `kind` says what it is about.',
  by: 'kind',
  classes: Object.fromEntries(caseKinds.map((kind) => [kind, caseEventDataOf(kind)])),
})
class CaseEventData {}

/** A case was opened or closed, as a refresh of the comparisons found, or a person accepted its difference. */
@ApiSchema({ name: 'FeedCaseEvent' })
export class CaseEvent extends EventOf(typesOf('case'), CaseEventData) {}

/** A record of a decision. */
class EventRecord extends PlatformMapping {
  @ApiProperty({ ...nullableText, description: 'The object that it belongs to by the decision.' })
  readonly canonical_id: string | null;
}

/** The data of an event about a decision. */
class DecisionEventData {
  @ApiProperty({ format: 'uuid' })
  readonly decision_id: string;

  @ApiProperty({ enum: ['link', 'not_same'] })
  readonly decision: string;

  @ApiProperty({ enum: storedEntityTypes })
  readonly entity_type: StoredEntityType;

  @ApiProperty({ type: [EventRecord] })
  readonly records: readonly EventRecord[];

  @ApiProperty({ description: 'Why it was made, or withdrawn.' })
  readonly reason: string;

  @ApiProperty({ description: 'Who made it, or withdrew it: a person, or `the service`.' })
  readonly decided_by: string;
}

/** A person decided whether two records are one, or withdrew that, or the source of a record changed. */
@ApiSchema({ name: 'DecisionEvent' })
export class DecisionEvent extends EventOf(typesOf('decision'), DecisionEventData) {}

/** The data of an event about a sign-off. */
class StatementEventData {
  @ApiProperty({ format: 'uuid', description: 'For `GET /reconciliation/signoffs/{id}`.' })
  readonly signoff_id: string;

  @ApiProperty({ enum: ['prepared', 'reviewed'] })
  readonly role: string;

  @ApiProperty()
  readonly signed_by: string;

  @ApiProperty({ description: 'Digest of the statement.' })
  readonly digest: string;

  @ApiProperty({ format: 'date-time' })
  readonly as_of: string;

  @ApiProperty(nullableDay)
  readonly through: string | null;

  @ApiProperty()
  readonly currency: string;

  @ApiProperty({ enum: platformNames, isArray: true })
  readonly platforms: readonly PlatformName[];

  @ApiProperty(nullableType)
  readonly entity_type: StoredEntityType | null;

  @ApiProperty(nullableText)
  readonly project_id: string | null;

  @ApiPropertyOptional({ format: 'date-time', description: 'For `statement.signed`: when it was signed.' })
  readonly signed_at?: string;

  @ApiPropertyOptional({
    ...nullableText,
    description: 'For `statement.signed`: the note of the person who signed.',
  })
  readonly note?: string | null;

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'For `statement.signoff_outdated`: the time whose figures differ from the signed ones.',
  })
  readonly compared_as_of?: string;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'For `statement.signoff_outdated`: how many figures differ.',
  })
  readonly changes_total?: number;
}

/** A person signed a statement, or its figures were found to have changed since. */
@ApiSchema({ name: 'StatementEvent' })
export class StatementEvent extends EventOf(typesOf('statement'), StatementEventData) {}

/** The run of an event. */
class RunName {
  @ApiProperty({ format: 'uuid' })
  readonly run_id: string;

  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty({ enum: ['sandbox', 'live'] })
  readonly mode: string;
}

/** Why a run has failed. */
class EventFailure {
  @ApiProperty()
  readonly type: string;

  @ApiProperty()
  readonly message: string;
}

/** The data of an event about a connection. */
class ConnectionEventData extends RunName {
  @ApiPropertyOptional({
    type: EventFailure,
    description: 'For `connection.failing`: why the last run failed.',
  })
  readonly error?: EventFailure;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'For `connection.recovered`: how many runs in a row had failed.',
  })
  readonly failures?: number;
}

/** The runs of a live connection begin to fail, or succeed again. */
@ApiSchema({ name: 'ConnectionEvent' })
export class ConnectionEvent extends EventOf(typesOf('connection'), ConnectionEventData) {}

/** The data of an event about a run. */
class RunEventData extends RunName {
  @ApiProperty({ description: 'Whether everything that was to be read was read.' })
  readonly complete: boolean;

  @ApiProperty({ description: 'Whether all records were read, not only changed ones.' })
  readonly whole: boolean;

  @ApiProperty({ type: [String], description: 'What could not be read, in words.' })
  readonly gaps: readonly string[];

  @ApiProperty({ ...counts, description: 'Stored records of the platform, by type.' })
  readonly entities: Readonly<Record<string, number>>;

  @ApiProperty({ type: 'integer', description: 'Records that are new.' })
  readonly added: number;

  @ApiProperty({ type: 'integer', description: 'Records that changed.' })
  readonly changed: number;

  @ApiProperty({ type: 'integer', description: 'Records that were deleted and that the platform has again.' })
  readonly restored: number;

  @ApiProperty({ type: 'integer', description: 'Links that were made.' })
  readonly linked: number;

  @ApiProperty({ type: 'integer', description: 'Records that the platform no longer has.' })
  readonly deleted: number;

  @ApiProperty({ type: 'integer', description: 'Missing records that wait for a person.' })
  readonly deletions_held: number;
}

/** A run was published. */
@ApiSchema({ name: 'RunEvent' })
export class RunEvent extends EventOf(typesOf('run'), RunEventData) {}

/** The data of an event about held deletions. */
class DeletionsEventData extends RunName {
  @ApiProperty({ type: 'integer' })
  readonly deletions_held: number;

  @ApiProperty({ ...counts, description: 'Missing records by type.' })
  readonly entities: Readonly<Record<string, number>>;
}

/**
 * So many records are missing that a person must accept their deletion. A new event follows when their number changes.
 */
@ApiSchema({ name: 'DeletionsEvent' })
export class DeletionsEvent extends EventOf(typesOf('deletions'), DeletionsEventData) {}

/** The data of an event about an endpoint. */
class EndpointEventData {
  @ApiProperty({ format: 'uuid', description: 'For `GET /webhook-endpoints/{id}`.' })
  readonly endpoint_id: string;

  @ApiProperty({ description: 'Why the service has disabled it.' })
  readonly reason: string;

  @ApiProperty({
    ...nullableTime,
    description: 'Since when no delivery has succeeded.',
  })
  readonly failing_since: string | null;
}

/** The service has disabled an endpoint, because deliveries have failed for five days. */
@ApiSchema({ name: 'WebhookEndpointEvent' })
export class WebhookEndpointEvent extends EventOf(typesOf('webhook_endpoint'), EndpointEventData) {}

/** How many records were read for a field. */
class EventReading {
  @ApiProperty({ type: 'integer', description: 'Stored records of the type, on all platforms.' })
  readonly total: number;

  @ApiProperty({ type: 'integer' })
  readonly read: number;

  @ApiProperty({ type: 'integer', description: 'Records that have a value in the field.' })
  readonly filled: number;

  @ApiProperty({ type: 'integer', description: 'Records whose value does not fit the codec.' })
  readonly unreadable: number;
}

/** The data of an event about an own field. */
class FieldEventData {
  @ApiProperty({ enum: entityTypes })
  readonly entity_type: EntityType;

  @ApiProperty()
  readonly name: string;

  @ApiProperty({ description: 'Its name in lists of fields.', example: 'custom.cost_center' })
  readonly field: string;

  @ApiProperty({ description: 'Whether it is ready because it was removed.' })
  readonly removed: boolean;

  @ApiProperty({ format: 'date-time', description: 'When it was defined, or removed.' })
  readonly since: string;

  @ApiProperty({ type: EventReading })
  readonly records: EventReading;
}

/**
 * The stored records were read for an own field, and the comparisons include it. There is one such event for each
 * definition and removal.
 */
@ApiSchema({ name: 'FieldEvent' })
export class FieldEvent extends EventOf(typesOf('field'), FieldEventData) {}

/** The classes of events that are not about objects. */
export const OTHER_EVENTS = [
  PropagationEvent,
  CaseEvent,
  DecisionEvent,
  StatementEvent,
  ConnectionEvent,
  RunEvent,
  DeletionsEvent,
  WebhookEndpointEvent,
  FieldEvent,
] as const;
