import { ApiProperty } from '@nestjs/swagger';

/** What opening a demo session gives. The key is shown this once. */
export class DemoSession {
  @ApiProperty({
    description: 'Sandbox key. Shown only here: the service keeps its hash alone.',
    pattern: '^sk_demo_[0-9A-Za-z_-]+$',
  })
  readonly api_key: string;

  @ApiProperty({ description: 'The demo customer.', format: 'uuid' })
  readonly customer_id: string;
}
