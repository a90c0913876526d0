import { type DynamicModule, Module } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from './environment';

/** Provides the environment to every module: that of the process, or one that a test chose. */
@Module({})
export class ConfigModule {
  static forRoot(environment: Environment): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: ENVIRONMENT, useValue: environment }],
      exports: [ENVIRONMENT],
    };
  }
}
