import { ApiProperty } from '@nestjs/swagger';

/** A new demo session. The key is shown only here. */
export class DemoSession {
  @ApiProperty({
    description: 'Sandbox key. It is shown only here: the service stores only its hash.',
    pattern: '^sk_demo_[0-9A-Za-z_-]+$',
  })
  readonly api_key: string;

  @ApiProperty({ description: 'The demo customer.', format: 'uuid' })
  readonly customer_id: string;
}
