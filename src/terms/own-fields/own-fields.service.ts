import { Injectable } from '@nestjs/common';
import {
  describeType,
  ownFieldLimits,
  ownFieldName,
  OwnFields,
  problemsOfPaths,
  type DescribedAccess,
  type DescribedType,
  type DescriptionContext,
  type EntityType,
  type JsonValue,
  type OwnFieldDefinition,
} from '@app/mapper';
import { ApiKeysService } from '../../auth/api-keys.service';
import { ApiError } from '../../common/errors/api-error';
import type { CustomerTransaction } from '../../database/transaction/store';
import { ONE_SNAPSHOT, UnitOfWork } from '../../database/transaction/unit-of-work';
import { ConnectionsRepository } from '../../records/connections/connections.repository';
import { loadDescriptionContext } from '../../records/terms/description-context';
import { definitionFrom, ownFieldTermName } from '../../records/terms/own-fields-text';
import { OwnFieldsLookup } from '../../records/terms/own-fields-lookup';
import { changeTerms } from '../agreements/change-terms';
import { CustomerTermsRepository, type Agreement } from '../agreements/customer-terms.repository';
import type { StoredReason, TermReason } from '../agreements/term-reason';
import { FieldReader } from './field-reader';
import { beginReading, listReadings, type FieldReading, type ReadField } from './field-readings.repository';

/** An own field that is defined. */
export interface DefinedField extends StoredReason {
  readonly definition: OwnFieldDefinition;
  readonly since: Date;
  /** Where the platforms have it, and who may write it. */
  readonly on: readonly DescribedAccess[];
}

/** An own field, with how far the reading of stored records has come. A removed one has no definition any more. */
export interface ListedField {
  readonly defined: DefinedField | undefined;
  readonly reading: FieldReading;
}

/**
 * The canonical fields that a customer adds to types. A definition is one of the customer's terms: it takes effect with
 * the next request, and reads of an earlier time use the definitions of that time.
 */
@Injectable()
export class OwnFieldsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly terms: CustomerTermsRepository,
    private readonly connections: ConnectionsRepository,
    private readonly keys: ApiKeysService,
    private readonly lookup: OwnFieldsLookup,
    private readonly reader: FieldReader,
  ) {}

  /** The fields that are defined, and the removed ones that are not ready, by type and name. */
  list(customerId: string): Promise<readonly ListedField[]> {
    return this.unitOfWork.runFor(customerId, (tx) => this.listed(tx), ONE_SNAPSHOT);
  }

  /**
   * Defines a field, or defines it anew.
   *
   * @param definition `problemsOfDefinition` must have found nothing wrong
   * @throws ApiError TRANSFORM_ERROR for a path that does not parse or is taken, CONFLICT_ERROR for too many fields
   */
  define(customerId: string, definition: OwnFieldDefinition, why: TermReason = {}): Promise<ListedField> {
    const { entityType, name, codec, label, platforms } = definition;
    const value = { codec, ...(label !== undefined && { label }), platforms };
    return this.change(customerId, definition, value, why, async (tx, at) => {
      const others = (await this.terms.list(tx, 'field')).flatMap(definitionsOf);
      const ofType = others.filter((other) => other.entityType === entityType && other.name !== name);
      refuseMany(ofType.length, entityType);
      refusePaths(definition, new OwnFields(others));
      const term = ownFieldTermName(entityType, name);
      await this.terms.end(tx, 'field', term, at);
      await this.terms.insert(tx, { kind: 'field', name: term, value }, why, at);
    });
  }

  /** Removes a field. @throws ApiError NOT_FOUND for one that is not defined */
  remove(customerId: string, field: ReadField, why: TermReason = {}): Promise<ListedField> {
    return this.change(customerId, field, null, why, async (tx, at) => {
      const term = ownFieldTermName(field.entityType, field.name);
      if (await this.terms.end(tx, 'field', term, at)) return;
      throw new ApiError('NOT_FOUND', `There is no own field ${field.name} of ${field.entityType}`);
    });
  }

  /** Changes the definition of a field, and begins to read what is stored. @param value null for a removal */
  private async change(
    customerId: string,
    { entityType, name }: ReadField,
    value: JsonValue | object,
    why: TermReason,
    store: (tx: CustomerTransaction, at: string) => Promise<void>,
  ): Promise<ListedField> {
    const field = await this.unitOfWork.runFor(customerId, async (tx) => {
      const term = { kind: 'field', name: ownFieldTermName(entityType, name), value } as const;
      const at = await changeTerms(tx, term, why);
      await store(tx, at);
      await this.keys.markOwnFields(tx, (await this.terms.list(tx, 'field')).length > 0);
      await beginReading(tx, { entityType, name }, { isRemoved: value === null, since: at });
      return (await this.listed(tx)).find(
        ({ reading }) => reading.entityType === entityType && reading.name === name,
      );
    });
    this.lookup.forget(customerId);
    this.keys.forget(customerId);
    this.reader.wake();
    if (field === undefined) throw new Error('The reading of an own field was not stored');
    return field;
  }

  private async listed(tx: CustomerTransaction): Promise<readonly ListedField[]> {
    const [agreed, context, readings] = await Promise.all([
      this.terms.list(tx, 'field'),
      loadDescriptionContext(tx, this.connections),
      listReadings(tx),
    ]);
    const defined = definedFields(agreed, context);
    return readings
      .map((reading) => ({
        reading,
        defined: reading.isRemoved
          ? undefined
          : defined.get(ownFieldTermName(reading.entityType, reading.name)),
      }))
      .filter(({ reading, defined: one }) => one !== undefined || (reading.isRemoved && !reading.isReady));
  }
}

/** By the names of their terms. Each type is described once. */
function definedFields(
  agreed: readonly Agreement[],
  context: DescriptionContext,
): ReadonlyMap<string, DefinedField> {
  const types = new Map<EntityType, DescribedType>();
  const typeOf = (entityType: EntityType): DescribedType => {
    const known = types.get(entityType) ?? describeType(entityType, context);
    types.set(entityType, known);
    return known;
  };
  return new Map(
    agreed.flatMap((agreement) =>
      definitionsOf(agreement).map((definition): [string, DefinedField] => [
        agreement.name,
        definedField(definition, agreement, typeOf(definition.entityType)),
      ]),
    ),
  );
}

function definedField(
  definition: OwnFieldDefinition,
  { since, reason, decidedBy }: Agreement,
  type: DescribedType,
): DefinedField {
  const name = ownFieldName(definition.name);
  const field = type.fields.find((one) => one.name === name);
  return { definition, since, reason, decidedBy, on: field?.on ?? [] };
}

function definitionsOf({ name, value }: Agreement): readonly OwnFieldDefinition[] {
  // A value of `json` is JSON.
  const definition = definitionFrom(name, value as JsonValue);
  return definition === undefined ? [] : [definition];
}

function refuseMany(others: number, entityType: string): void {
  if (others < ownFieldLimits.fields) return;
  throw new ApiError(
    'CONFLICT_ERROR',
    `${entityType} has ${ownFieldLimits.fields} own fields already; remove others first`,
  );
}

function refusePaths(definition: OwnFieldDefinition, others: OwnFields): void {
  const problems = problemsOfPaths(definition, others);
  if (problems.length === 0) return;
  const text = problems.map(({ path, problem }) => `${path}: ${problem}`).join('; ');
  throw new ApiError('TRANSFORM_ERROR', text);
}
