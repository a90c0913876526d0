import { Injectable } from '@nestjs/common';
import type { PlatformName, RuleLevel, RuleName, StoredEntityType } from '@app/mapper';
import { getCustomer } from '../../auth/customers.service';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../../common/errors/api-error';
import { precedenceName } from '../../records/terms/terms-text';
import { changeTerms } from './change-terms';

/** What was agreed about one field or rule, as it is stored. */
export interface Agreement {
  readonly name: string;
  readonly value: unknown;
  readonly since: Date;
}

type Kind = 'precedence' | 'rule';

/**
 * What an operator agrees with a customer beside rates: whose value counts for a field, and which rules hold. It takes
 * effect with the next request; nothing is read again and no record changes.
 */
@Injectable()
export class AgreementsService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Lets some platforms be heard first on a field. What was agreed for the field before ends.
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
   * @throws ApiError NOT_FOUND without such a customer, or when nothing was agreed for the field
   */
  clearPrecedence(customerId: string, entityType: StoredEntityType, field: string): Promise<void> {
    return this.unitOfWork.run(async (store) => {
      const name = precedenceName(entityType, field);
      const at = await changeTerms(store.forCustomer(customerId), { kind: 'precedence', name, value: null });
      if (!(await end(store.forCustomer(customerId), 'precedence', name, at))) {
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
   * What is in force for a customer, by name.
   *
   * @throws ApiError NOT_FOUND without such a customer
   */
  list(customerId: string, kind: Kind): Promise<readonly Agreement[]> {
    return this.unitOfWork.run(
      async (store) => {
        await getCustomer(store.forCustomer(customerId));
        return store.query<{ name: string; value: unknown; since: Date }>(
          `select name, value, since from customer_terms
           where customer_id = $1 and kind = $2 and until is null order by name`,
          [customerId, kind],
        );
      },
      { readOnly: true },
    );
  }

  private set(customerId: string, kind: Kind, name: string, value: unknown): Promise<void> {
    return this.unitOfWork.run(async (store) => {
      const at = await changeTerms(store.forCustomer(customerId), { kind, name, value });
      await end(store.forCustomer(customerId), kind, name, at);
      await store.query(
        `insert into customer_terms (customer_id, kind, name, value, since) values ($1, $2, $3, $4, $5)`,
        [customerId, kind, name, JSON.stringify(value), at],
      );
    });
  }
}

/** Ends what is in force under a name; whether there was anything. */
async function end(tx: CustomerTransaction, kind: Kind, name: string, at: string): Promise<boolean> {
  const ended = await tx.query(
    `update customer_terms set until = $4
     where customer_id = $1 and kind = $2 and name = $3 and until is null returning true as ended`,
    [kind, name, at],
  );
  return ended.length > 0;
}
