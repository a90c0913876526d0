import { Module } from '@nestjs/common';
import { EndpointListingService } from './endpoint-listing.service';

/** The listing of endpoints, without what delivers to them. */
@Module({ providers: [EndpointListingService], exports: [EndpointListingService] })
export class EndpointListingModule {}
