import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentCustomer } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { Requires } from '../auth/guard/access.decorators';
import { Described } from '../common/openapi/described.decorator';
import { EntityTypeParameter } from '../common/openapi/entity-type-parameter.decorator';
import { TypeSchemaResponse } from './schema.response';
import { SchemaService } from './schema.service';

@ApiTags('Schema')
@Controller('schema')
export class SchemaController {
  constructor(private readonly schema: SchemaService) {}

  @Described({
    operationId: 'listSchemas',
    summary: 'What may be read and written',
    description:
      'All canonical types with their fields: what the values look like, whose value counts for the customer, the native path on each platform, and whether it may be written. The service translates records by the same description.',
    answer: { type: TypeSchemaResponse, isArray: true, description: 'The types.' },
  })
  @Get()
  @Requires('read')
  list(@CurrentCustomer() customer: Customer): Promise<readonly TypeSchemaResponse[]> {
    return this.schema.list(customer.id);
  }

  @Described({
    operationId: 'getSchema',
    summary: 'What may be read and written of one type',
    description: 'One canonical type, as in the list of all.',
    answer: { type: TypeSchemaResponse, description: 'The type.' },
    errors: { 404: 'There is no such type.' },
  })
  @EntityTypeParameter()
  @Get(':entity_type')
  @Requires('read')
  get(
    @CurrentCustomer() customer: Customer,
    @Param('entity_type') entityType: string,
  ): Promise<TypeSchemaResponse> {
    return this.schema.get(customer.id, entityType);
  }
}
