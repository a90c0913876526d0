import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../auth/guard/access.decorators';
import { Bare } from '../response/bare.decorator';
import type { JsonText } from '../response/handler-results';
import { ApiDescription } from './api-description';
import { Described } from './described.decorator';
import { DocumentResponse } from './document.response';

@ApiTags('Service')
@Controller('openapi.json')
export class OpenApiController {
  constructor(private readonly description: ApiDescription) {}

  @Described({
    operationId: 'getApiDescription',
    summary: 'This document',
    description:
      'The description of the API (OpenAPI 3.1), for people at `/docs` and for generators of clients.',
    answer: { type: DocumentResponse, description: 'The document.' },
  })
  @Get()
  @Public()
  @Bare()
  read(): JsonText {
    return this.description.text;
  }
}
