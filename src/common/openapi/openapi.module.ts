import { Module } from '@nestjs/common';
import { ApiDescription } from './api-description';
import { OpenApiController } from './openapi.controller';

/** The API's own description. */
@Module({ controllers: [OpenApiController], providers: [ApiDescription], exports: [ApiDescription] })
export class OpenApiModule {}
