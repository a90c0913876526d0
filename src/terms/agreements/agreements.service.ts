import { Injectable } from '@nestjs/common';
import type { PlatformName, StoredEntityType } from '@app/mapper';
import { getCustomer } from '../../auth/customers/customers.repository';
import { CustomerTermsRepository, type Agreement } from './customer-terms.repository';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../../common/errors/api-error';
import { precedenceName } from '../../records/terms/terms-text';
import { changeTerms } from './change-terms';
import type { AgreedLevel, AgreedRuleName } from './agreed-rules';
import type { TermReason } from './term-reason';

type Kind = 'precedence' | 'rule';

/**
 * The terms that are agreed with a customer, except rates: which platform's value counts for a field, and which rules
 * apply. They take effect with the next request. No platform is read again and no record changes.
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
   * @throws UnknownCustomer
   */
  setPrecedence(
    customerId: string,
    entityType: StoredEntityType,
    field: string,
    platforms: readonly PlatformName[],
    why: TermReason = {},
  ): Promise<Agreement> {
    return this.set(customerId, 'precedence', precedenceName(entityType, field), platforms, why);
  }

  /**
   * Goes back to the default order for a field.
   *
   * @throws UnknownCustomer; ApiError NOT_FOUND when nothing was agreed for the field
   */
  clearPrecedence(
    customerId: string,
    entityType: StoredEntityType,
    field: string,
    why: TermReason = {},
  ): Promise<void> {
    return this.clear(customerId, 'precedence', precedenceName(entityType, field), why);
  }

  /**
   * Sets the level of a rule.
   *
   * @param level `problemOfLevel` must have found nothing wrong
   * @throws UnknownCustomer
   */
  setRule(
    customerId: string,
    rule: AgreedRuleName,
    level: AgreedLevel,
    why: TermReason = {},
  ): Promise<Agreement> {
    return this.set(customerId, 'rule', rule, level, why);
  }

  /**
   * Goes back to the default level of a rule.
   *
   * @throws UnknownCustomer; ApiError NOT_FOUND when nothing was agreed for the rule
   */
  clearRule(customerId: string, rule: AgreedRuleName, why: TermReason = {}): Promise<void> {
    return this.clear(customerId, 'rule', rule, why);
  }

  /**
   * The terms in force for a customer, by name.
   *
   * @throws UnknownCustomer
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

  private set(
    customerId: string,
    kind: Kind,
    name: string,
    value: unknown,
    why: TermReason,
  ): Promise<Agreement> {
    return this.unitOfWork.run(async (store) => {
      const tx = store.forCustomer(customerId);
      const at = await changeTerms(tx, { kind, name, value }, why);
      await this.terms.end(tx, kind, name, at);
      return this.terms.insert(tx, { kind, name, value }, why, at);
    });
  }

  private clear(customerId: string, kind: Kind, name: string, why: TermReason): Promise<void> {
    return this.unitOfWork.run(async (store) => {
      const tx = store.forCustomer(customerId);
      const at = await changeTerms(tx, { kind, name, value: null }, why);
      if (!(await this.terms.end(tx, kind, name, at))) {
        throw new ApiError('NOT_FOUND', `Customer ${customerId} has no ${kind} for ${name}`);
      }
    });
  }
}
