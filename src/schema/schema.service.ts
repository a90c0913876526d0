import { Injectable } from '@nestjs/common';
import {
  describeType,
  entityTypes,
  isEntityType,
  type DescribedType,
  type DescriptionContext,
} from '@app/mapper';
import { ApiError } from '../common/errors/api-error';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { ConnectionsRepository } from '../records/connections/connections.repository';
import { loadDescriptionContext } from '../records/terms/description-context';

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
    if (!isEntityType(name)) throw new ApiError('NOT_FOUND', `There is no entity type ${name}`);
    return describeType(name, await this.contextOf(customerId));
  }

  private contextOf(customerId: string): Promise<DescriptionContext> {
    return this.unitOfWork.runFor(customerId, (tx) => loadDescriptionContext(tx, this.connections), {
      readOnly: true,
    });
  }
}
