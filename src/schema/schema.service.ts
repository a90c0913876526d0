import { Injectable } from '@nestjs/common';
import {
  describeType,
  entityTypes,
  isPlatformName,
  type DescribedType,
  type DescriptionContext,
} from '@app/mapper';
import { ApiError } from '../common/errors/api-error';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { ConnectionsRepository } from '../records/connections/connections.repository';
import { loadTerms } from '../records/terms/terms.repository';

/** Tells a customer which fields there are, whose value counts, and what may be written. */
@Injectable()
export class SchemaService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly connections: ConnectionsRepository,
  ) {}

  /** All types. */
  async list(customerId: string): Promise<readonly DescribedType[]> {
    const context = await this.contextOf(customerId);
    return entityTypes.map((type) => describeType(type, context));
  }

  /** One type. @throws ApiError 404 for a name that is no type */
  async get(customerId: string, name: string): Promise<DescribedType> {
    const type = entityTypes.find((known) => known === name);
    if (type === undefined) throw new ApiError('NOT_FOUND', `There is no entity type ${name}`);
    return describeType(type, await this.contextOf(customerId));
  }

  /** A platform that is not connected is described as the platform itself, not as its sandbox. */
  private contextOf(customerId: string): Promise<DescriptionContext> {
    return this.unitOfWork.runFor(
      customerId,
      async (tx) => {
        const connected = await this.connections.list(tx);
        const { precedence } = await loadTerms(tx);
        const sandboxes = connected.flatMap(({ platform, mode }) =>
          mode === 'sandbox' && isPlatformName(platform) ? [platform] : [],
        );
        return { precedence, sandboxes: new Set(sandboxes) };
      },
      { readOnly: true },
    );
  }
}
