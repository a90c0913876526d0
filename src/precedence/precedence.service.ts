import { Injectable } from '@nestjs/common';
import {
  isPlatformName,
  platformNames,
  problemOfPrecedence,
  storedEntityTypes,
  type StoredEntityType,
} from '@app/mapper';
import { ApiError, invalidInput } from '../common/errors/api-error';
import type { Handling } from '../common/idempotency/idempotency.service';
import { reasonOf, type TermReasonDto } from '../common/validation/term-reason.dto';
import { AgreementsService } from '../terms/agreements/agreements.service';
import { shownPrecedence } from '../terms/agreements/shown-agreements';
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
  constructor(private readonly agreements: AgreementsService) {}

  async list(customerId: string): Promise<PrecedenceList> {
    const agreed = await this.agreements.list(customerId, 'precedence');
    return { default_platforms: platformNames, precedence: agreed.map(shownPrecedence) };
  }

  /** How a precedence is set. @throws ApiError 404 for a field that takes none, 400 for the platforms; UnknownCustomer */
  setting(customerId: string, named: NamedField, body: PrecedenceDto): Handling<PrecedenceResponse> {
    const { entityType, field } = fieldOf(named);
    const problem = problemOfPrecedence(entityType, field, body.platforms);
    if (problem !== undefined) throw invalidInput([problem]);
    const platforms = body.platforms.filter(isPlatformName);
    return {
      first: async () =>
        shownPrecedence(
          await this.agreements.setPrecedence(customerId, entityType, field, platforms, reasonOf(body)),
        ),
    };
  }

  /** How a field goes back to the default order. @throws ApiError 404 where it has it already; UnknownCustomer */
  clearing(customerId: string, named: NamedField, body: TermReasonDto): Handling<void> {
    const { entityType, field } = fieldOf(named);
    return { first: () => this.agreements.clearPrecedence(customerId, entityType, field, reasonOf(body)) };
  }
}

/** @throws ApiError 404 for what is no field, or one that takes no precedence */
function fieldOf({ entityType, field }: NamedField): {
  readonly entityType: StoredEntityType;
  readonly field: string;
} {
  const type = storedEntityTypes.find((known) => known === entityType);
  const problem = problemOfPrecedence(entityType, field, platformNames);
  if (type === undefined || problem !== undefined) {
    throw new ApiError('NOT_FOUND', `There is no such precedence: ${problem ?? entityType}`);
  }
  return { entityType: type, field };
}
