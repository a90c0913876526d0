import { Injectable } from '@nestjs/common';
import type { CreationLevel, PlatformName, RuleLevel, RuleName, StoredEntityType } from '@app/mapper';
import { getCustomer } from '../../auth/customers/customers.repository';
import { CustomerTermsRepository, type Agreement } from './customer-terms.repository';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../../common/errors/api-error';
import { precedenceName } from '../../records/terms/terms-text';
import { changeTerms } from './change-terms';

type Kind = 'precedence' | 'rule';

/**
 * The terms that an operator agrees with a customer, except rates: which platform's value counts for a field, and which
 * rules apply. They take effect with the next request. No platform is read again and no record changes.
 */
@Injectable()
export class AgreementsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly terms: CustomerTermsRepository,
  ) {}

  /**
   * Gives some platforms precedence for a field. An earlier agreement for the field ends.
   *
   * @param platforms in order; `problemOfPrecedence` must have found nothing wrong
   * @throws ApiError NOT_FOUND without such a customer
   */
  setPrecedence(
    customerId: string,
    entityType: StoredEntityType,
    field: string,
    platforms: readonly PlatformName[],
  ): Promise<void> {
    return this.set(customerId, 'precedence', precedenceName(entityType, field), platforms);
  }

  /**
   * Goes back to the default order for a field.
   *
   * @throws ApiError NOT_FOUND if the customer does not exist, or nothing was agreed for the field
   */
  clearPrecedence(customerId: string, entityType: StoredEntityType, field: string): Promise<void> {
    return this.unitOfWork.run(async (store) => {
      const name = precedenceName(entityType, field);
      const tx = store.forCustomer(customerId);
      const at = await changeTerms(tx, { kind: 'precedence', name, value: null });
      if (!(await this.terms.end(tx, 'precedence', name, at))) {
        throw new ApiError('NOT_FOUND', `Customer ${customerId} has no precedence for ${name}`);
      }
    });
  }

  /**
   * Sets the level of a rule.
   *
   * @throws ApiError NOT_FOUND without such a customer
   */
  setRule(customerId: string, rule: RuleName, level: RuleLevel): Promise<void> {
    return this.set(customerId, 'rule', rule, level);
  }

  /**
   * Sets whether changes create records that a platform lacks.
   *
   * @throws ApiError NOT_FOUND without such a customer
   */
  setCreation(customerId: string, level: CreationLevel): Promise<void> {
    return this.set(customerId, 'rule', 'create_missing', level);
  }

  /**
   * The terms in force for a customer, by name.
   *
   * @throws ApiError NOT_FOUND without such a customer
   */
  list(customerId: string, kind: Kind): Promise<readonly Agreement[]> {
    return this.unitOfWork.run(
      async (store) => {
        const tx = store.forCustomer(customerId);
        await getCustomer(tx);
        return this.terms.list(tx, kind);
      },
      { readOnly: true },
    );
  }

  private set(customerId: string, kind: Kind, name: string, value: unknown): Promise<void> {
    return this.unitOfWork.run(async (store) => {
      const tx = store.forCustomer(customerId);
      const at = await changeTerms(tx, { kind, name, value });
      await this.terms.end(tx, kind, name, at);
      await this.terms.insert(tx, { kind, name, value }, at);
    });
  }
}
