import { Module } from '@nestjs/common';
import { EndpointListingService } from './endpoint-listing.service';
import { EndpointRemovalService } from './endpoint-removal.service';

/** The listing and the removal of endpoints, without what delivers to them. */
@Module({
  providers: [EndpointListingService, EndpointRemovalService],
  exports: [EndpointListingService, EndpointRemovalService],
})
export class EndpointListingModule {}
