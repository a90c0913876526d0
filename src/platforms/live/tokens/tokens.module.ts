import { Module } from '@nestjs/common';
import { CredentialsModule } from '../../credentials/credentials.module';
import { TokenSource } from './token-source';
import { TokenTimes } from './token-times';

/** The access tokens of live connections, of which this process asks once for all its parts. */
@Module({
  imports: [CredentialsModule],
  providers: [TokenTimes, TokenSource],
  exports: [TokenSource, TokenTimes],
})
export class TokensModule {}
