import { Module } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { CredentialsService } from './credentials.service';
import { MasterKeys } from './master-keys';
import { TokenStore } from './token-store';

/** Credentials of live connections and the tokens that they give, sealed at rest. */
@Module({
  providers: [
    {
      provide: MasterKeys,
      useFactory: ({ credentialsKeys }: Environment) => new MasterKeys(credentialsKeys),
      inject: [ENVIRONMENT],
    },
    CredentialsService,
    TokenStore,
  ],
  exports: [CredentialsService, TokenStore],
})
export class CredentialsModule {}
