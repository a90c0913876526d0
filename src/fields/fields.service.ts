import { Injectable } from '@nestjs/common';
import {
  isEntityType,
  isOwnFieldNameText,
  ownFieldLimits,
  ownFieldNamePattern,
  problemsOfDefinition,
  type FieldIssue,
  type OwnFieldDefinition,
} from '@app/mapper';
import { ApiError, invalidInput } from '../common/errors/api-error';
import type { Handling } from '../common/idempotency/idempotency.service';
import { reasonOf, type TermReasonDto } from '../common/validation/term-reason.dto';
import type { ReadField } from '../terms/own-fields/field-readings.repository';
import { OwnFieldsService } from '../terms/own-fields/own-fields.service';
import { shownField } from '../terms/own-fields/shown-field';
import type { FieldDto, FieldPlaceDto } from './fields.dto';
import type { OwnFieldResponse } from './fields.response';

const placeMembers: ReadonlySet<string> = new Set<keyof FieldPlaceDto>(['path', 'writable']);

/** A field as a path names it. */
export interface NamedField {
  readonly entityType: string;
  readonly name: string;
}

/** The fields of a customer's own, over the API. */
@Injectable()
export class FieldsService {
  constructor(private readonly fields: OwnFieldsService) {}

  /** The fields by type and name, and removed ones that are still read. */
  async list(customerId: string): Promise<readonly OwnFieldResponse[]> {
    return (await this.fields.list(customerId)).map(shownField);
  }

  /** How a field is defined. @throws ApiError 404 for an unknown type, 400 for a name or definition that is none */
  defining(customerId: string, named: NamedField, body: FieldDto): Handling<OwnFieldResponse> {
    const definition = definitionOf(fieldOf(named), body);
    const problems = [...problemsOfDefinition(definition), ...problemsOfPlaces(body)];
    if (problems.length > 0) throw invalidInput(problems.map(({ path, problem }) => `${path}: ${problem}`));
    return {
      first: async () => shownField(await this.fields.define(customerId, definition, reasonOf(body))),
    };
  }

  /** How a field is removed. @throws ApiError 404 for an unknown type, 400 for a name that is none */
  removing(customerId: string, named: NamedField, body: TermReasonDto): Handling<OwnFieldResponse> {
    const field = fieldOf(named);
    return { first: async () => shownField(await this.fields.remove(customerId, field, reasonOf(body))) };
  }
}

function fieldOf({ entityType, name }: NamedField): ReadField {
  if (!isEntityType(entityType)) throw new ApiError('NOT_FOUND', `There is no entity type ${entityType}`);
  if (isOwnFieldNameText(name)) return { entityType, name };
  throw invalidInput([
    `name must be of the form ${ownFieldNamePattern}, with at most ${ownFieldLimits.name} characters`,
  ]);
}

/** Members that a place does not have. With a misspelt `writable` the field would be defined, and never written. */
function problemsOfPlaces({ platforms }: FieldDto): readonly FieldIssue[] {
  return Object.entries(platforms).flatMap(([platform, place]) =>
    Object.keys(place)
      .filter((member) => !placeMembers.has(member))
      .map((member) => ({
        path: `platforms.${platform}.${member}`,
        problem: 'is no member of a place; path and writable are',
      })),
  );
}

function definitionOf(
  { entityType, name }: ReadField,
  { codec, label, platforms }: FieldDto,
): OwnFieldDefinition {
  return {
    entityType,
    name,
    codec: typeof codec === 'object' ? { one_of: codec.one_of } : codec,
    ...(label !== undefined && label !== null && { label }),
    platforms: Object.fromEntries(
      Object.entries(platforms).map(([platform, { path, writable = false }]) => [
        platform,
        { path, writable },
      ]),
    ),
  };
}
