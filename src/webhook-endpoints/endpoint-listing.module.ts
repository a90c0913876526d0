import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookEndpointRow } from '../database/entities/webhook-endpoint.entity';
import { EndpointListingService } from './endpoint-listing.service';
import { EndpointRemovalService } from './endpoint-removal.service';
import { WebhookEndpointsRepository } from './webhook-endpoints.repository';

/** The listing and the removal of endpoints, without what delivers to them. */
@Module({
  imports: [TypeOrmModule.forFeature([WebhookEndpointRow])],
  providers: [EndpointListingService, EndpointRemovalService, WebhookEndpointsRepository],
  exports: [EndpointListingService, EndpointRemovalService, WebhookEndpointsRepository],
})
export class EndpointListingModule {}
