import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LiveConnectionRow } from '../../database/entities/live-connection.entity';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { WebhookSchedulesModule } from '../webhook-schedules.module';
import { CredentialsRepository } from './credentials.repository';
import { CredentialsService } from './credentials.service';
import { MasterKeys } from './master-keys';
import { TokenStore } from './token-store';

/** Credentials of live connections and the tokens that they give, sealed at rest. */
@Module({
  imports: [WebhookSchedulesModule, TypeOrmModule.forFeature([LiveConnectionRow])],
  providers: [
    {
      provide: MasterKeys,
      useFactory: ({ credentialsKeys }: Environment) => new MasterKeys(credentialsKeys),
      inject: [ENVIRONMENT],
    },
    CredentialsRepository,
    CredentialsService,
    TokenStore,
  ],
  exports: [MasterKeys, CredentialsService, TokenStore],
})
export class CredentialsModule {}
