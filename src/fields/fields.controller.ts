import { Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { ApiBody, ApiParam, ApiTags } from '@nestjs/swagger';
import { ownFieldLimits, ownFieldNamePattern } from '@app/mapper';
import { CurrentCustomer } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { Requires } from '../auth/guard/access.decorators';
import { Idempotency } from '../common/idempotency/idempotency.service';
import { Described } from '../common/openapi/described.decorator';
import { EntityTypeParameter } from '../common/openapi/entity-type-parameter.decorator';
import { STORAGE_FULL } from '../common/openapi/error-responses';
import type { ReplayableResponse } from '../common/response/handler-results';
import { TermReasonDto } from '../common/validation/term-reason.dto';
import { ValidBody } from '../common/validation/valid-input.decorators';
import { FieldDto } from './fields.dto';
import { OwnFieldResponse } from './fields.response';
import { FieldsService } from './fields.service';

const nameParameter = ApiParam({
  name: 'name',
  schema: { type: 'string', pattern: ownFieldNamePattern, maxLength: ownFieldLimits.name },
  description: 'The name of the field, without `custom.`.',
});

@ApiTags('Schema')
@Controller('fields')
export class FieldsController {
  constructor(
    private readonly fields: FieldsService,
    private readonly idempotency: Idempotency,
  ) {}

  @Described({
    operationId: 'listFields',
    summary: 'List fields of one’s own',
    description:
      'The canonical fields that the customer has added to types, with the progress of reading the stored records again.',
    answer: { type: OwnFieldResponse, isArray: true, description: 'The fields, by type and name.' },
  })
  @Get()
  @Requires('read')
  list(@CurrentCustomer() customer: Customer): Promise<readonly OwnFieldResponse[]> {
    return this.fields.list(customer.id);
  }

  @Described({
    operationId: 'defineField',
    summary: 'Add a field of one’s own',
    description: `Defines a canonical field of a type, or replaces its definition. From the next request on, the field is read, translated, compared and written like any other. A type can have ${ownFieldLimits.fields} such fields.`,
    answer: {
      type: OwnFieldResponse,
      description: 'The field, with whether it can be written on each platform, and if not, why.',
    },
    errors: {
      404: 'There is no such type.',
      409: `The type has ${ownFieldLimits.fields} own fields already, or other work changes the terms.`,
      422: 'A path cannot be parsed, or another field already has its value there.',
      429: STORAGE_FULL,
    },
  })
  @EntityTypeParameter()
  @nameParameter
  @Put(':entity_type/:name')
  @Requires('administer')
  define(
    @CurrentCustomer() customer: Customer,
    @Param('entity_type') entityType: string,
    @Param('name') name: string,
    @ValidBody() body: FieldDto,
  ): Promise<OwnFieldResponse | ReplayableResponse> {
    const handling = this.fields.defining(customer.id, { entityType, name }, body);
    return this.idempotency.answer(customer, undefined, handling);
  }

  @Described({
    operationId: 'removeField',
    summary: 'Remove a field of one’s own',
    description:
      'Removes the field. Records stay as they are. Objects and statements of earlier times show the field as it was defined at that time.',
    answer: {
      type: OwnFieldResponse,
      description: 'The removed field. It is listed until the stored records have been read again.',
    },
    errors: { 404: 'There is no such type or field.', 429: STORAGE_FULL },
  })
  @EntityTypeParameter()
  @nameParameter
  @ApiBody({ type: TermReasonDto, required: false })
  @Delete(':entity_type/:name')
  @Requires('administer')
  remove(
    @CurrentCustomer() customer: Customer,
    @Param('entity_type') entityType: string,
    @Param('name') name: string,
    @ValidBody() body: TermReasonDto,
  ): Promise<OwnFieldResponse | ReplayableResponse> {
    const handling = this.fields.removing(customer.id, { entityType, name }, body);
    return this.idempotency.answer(customer, undefined, handling);
  }
}
