import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CustomerTimesModule } from '../common/paging/customer-times.module';
import { WebhookSecretRow } from '../database/entities/webhook-secret.entity';
import { CredentialsModule } from '../platforms/credentials/credentials.module';
import { EventFeed } from '../records/events/event-feed';
import { EndpointAddresses, HostResolver, NameServers } from './address/endpoint-addresses';
import { Deliverer } from './delivery/deliverer';
import { DeliveryTimes } from './delivery/delivery-times';
import { DeliveryWorker } from './delivery/delivery-worker';
import { EndpointListingModule } from './endpoint-listing.module';
import { EndpointSecrets } from './endpoint-secrets';
import { WebhookEndpointsController } from './webhook-endpoints.controller';
import { WebhookEndpointsService } from './webhook-endpoints.service';
import { WebhookSecretsRepository } from './webhook-secrets.repository';

/** `/webhook-endpoints`: events are delivered to addresses of customers. The calls of platforms are in `webhooks`. */
@Module({
  imports: [
    CustomerTimesModule,
    CredentialsModule,
    EndpointListingModule,
    TypeOrmModule.forFeature([WebhookSecretRow]),
  ],
  controllers: [WebhookEndpointsController],
  providers: [
    { provide: HostResolver, useClass: NameServers },
    EndpointAddresses,
    EndpointSecrets,
    WebhookSecretsRepository,
    DeliveryTimes,
    Deliverer,
    DeliveryWorker,
    EventFeed,
    WebhookEndpointsService,
  ],
})
export class WebhookEndpointsModule {}
