import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** The members of every OpenAPI document of this service. The OpenAPI Specification says what they contain. */
@ApiSchema({ name: 'ApiDocument' })
export class DocumentResponse {
  @ApiProperty({ description: 'Version of the OpenAPI Specification.', pattern: '^3\\.1\\.\\d+$' })
  readonly openapi: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Name and version of the API.',
  })
  readonly info: object;

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Address of the service.',
  })
  readonly servers: readonly object[];

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Groups of operations.',
  })
  readonly tags: readonly object[];

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Operations by path and method.' })
  readonly paths: object;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Named schemas and headers.' })
  readonly components: object;

  @ApiProperty({ type: 'object', additionalProperties: true })
  readonly webhooks: object;
}
