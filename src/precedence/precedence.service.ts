import { Injectable } from '@nestjs/common';
import {
  isOwnFieldName,
  isPlatformName,
  isStorableText,
  platformNames,
  problemOfPrecedence,
  storedEntityTypes,
  type OwnFields,
  type StoredEntityType,
} from '@app/mapper';
import { ApiError, invalidInput } from '../common/errors/api-error';
import type { Handling } from '../common/idempotency/idempotency.service';
import { reasonOf, type TermReasonDto } from '../common/validation/term-reason.dto';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { loadTerms } from '../records/terms/terms.repository';
import { AgreementsService } from '../terms/agreements/agreements.service';
import { shownPrecedence } from '../terms/shown-agreements';
import type { PrecedenceDto } from './precedence.dto';
import type { PrecedenceResponse, PrecedenceList } from './precedence.response';

/** A field as a path names it. */
export interface NamedField {
  readonly entityType: string;
  readonly field: string;
}

/** Whose value counts for a field, over the API. */
@Injectable()
export class PrecedenceService {
  constructor(
    private readonly agreements: AgreementsService,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  async list(customerId: string): Promise<PrecedenceList> {
    const agreed = await this.agreements.list(customerId, 'precedence');
    return { default_platforms: platformNames, precedence: agreed.map(shownPrecedence) };
  }

  /** How a precedence is set. @throws ApiError 404 for a field that takes none, 400 for the platforms; UnknownCustomer */
  setting(customerId: string, named: NamedField, body: PrecedenceDto): Handling<PrecedenceResponse> {
    const platforms = body.platforms.filter(isPlatformName);
    const set = async (field: AgreedField): Promise<PrecedenceResponse> =>
      shownPrecedence(
        await this.agreements.setPrecedence(
          customerId,
          field.entityType,
          field.field,
          platforms,
          reasonOf(body),
        ),
      );
    if (isOwnFieldName(named.field)) {
      return {
        first: async () => {
          const { own } = await this.unitOfWork.runFor(customerId, loadTerms, { readOnly: true });
          return set(checkedField(named, body.platforms, own));
        },
      };
    }
    const field = checkedField(named, body.platforms);
    return { first: () => set(field) };
  }

  /** How a field goes back to the default order. @throws ApiError 404 where it has it already; UnknownCustomer */
  clearing(customerId: string, named: NamedField, body: TermReasonDto): Handling<void> {
    const clear = ({ entityType, field }: AgreedField): Promise<void> =>
      this.agreements.clearPrecedence(customerId, entityType, field, reasonOf(body));
    // A precedence may have outlived its own field. No own field has a name that the database does not store.
    const isOwn = isOwnFieldName(named.field) && isStorableText(named.field);
    const field = isOwn ? { ...named, entityType: typeOf(named) } : fieldOf(named);
    return { first: () => clear(field) };
  }
}

/** A field that takes a precedence. */
interface AgreedField {
  readonly entityType: StoredEntityType;
  readonly field: string;
}

/** @throws ApiError 404 for a field that takes no precedence, 400 for the platforms */
function checkedField(named: NamedField, platforms: readonly string[], own?: OwnFields): AgreedField {
  const field = fieldOf(named, own);
  const problem = problemOfPrecedence(field.entityType, field.field, platforms, own);
  if (problem !== undefined) throw invalidInput([problem]);
  return field;
}

/** @throws ApiError 404 for what is no field, or one that takes no precedence */
function fieldOf(named: NamedField, own?: OwnFields): AgreedField {
  const entityType = typeOf(named);
  const problem = problemOfPrecedence(entityType, named.field, platformNames, own);
  if (problem !== undefined) throw noSuch(problem);
  return { entityType, field: named.field };
}

/** @throws ApiError 404 for a type that is not stored */
function typeOf({ entityType, field }: NamedField): StoredEntityType {
  const type = storedEntityTypes.find((known) => known === entityType);
  if (type === undefined) throw noSuch(problemOfPrecedence(entityType, field, platformNames) ?? entityType);
  return type;
}

function noSuch(what: string): ApiError {
  return new ApiError('NOT_FOUND', `There is no such precedence: ${what}`);
}
