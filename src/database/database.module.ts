import { Global, Module } from '@nestjs/common';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import { dataSourceOptions } from './connection/data-source';
import { DatabaseProbe } from './connection/database-probe';
import { UnitOfWork } from './transaction/unit-of-work';

/**
 * The database, for every module. The environment holds its address; if an embedded server is used, the start of the
 * service or of a command has put that server's address there before the application is created. The schema is expected to be up to date.
 */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment): TypeOrmModuleOptions => ({
        ...dataSourceOptions(databaseUrlOf(environment), {}, environment.databasePooler),
        // The migrations have just run, so a failure now is worth a message, not nine more attempts.
        toRetry: () => false,
      }),
    }),
  ],
  providers: [
    UnitOfWork,
    {
      provide: DatabaseProbe,
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment) => new DatabaseProbe(databaseUrlOf(environment)),
    },
  ],
  exports: [UnitOfWork, DatabaseProbe],
})
export class DatabaseModule {}

function databaseUrlOf({ databaseUrl }: Environment): string {
  if (databaseUrl === undefined)
    throw new Error('The application was made without the address of a database');
  return databaseUrl;
}
