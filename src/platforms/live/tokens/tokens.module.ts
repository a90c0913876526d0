import { Module } from '@nestjs/common';
import { CredentialsModule } from '../../credentials/credentials.module';
import { TokenSource } from './token-source';
import { TokenTimes } from './token-times';

/** The access tokens of live connections. All parts of this process share one request for a token. */
@Module({
  imports: [CredentialsModule],
  providers: [TokenTimes, TokenSource],
  exports: [TokenSource],
})
export class TokensModule {}
