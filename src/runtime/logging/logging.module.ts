import { Module, type DynamicModule } from '@nestjs/common';
import { LOGGER, type Logger } from './logger';

/** Provides the process's logger to every module. */
@Module({})
export class LoggingModule {
  static forRoot(logger: Logger): DynamicModule {
    return {
      module: LoggingModule,
      global: true,
      providers: [{ provide: LOGGER, useValue: logger }],
      exports: [LOGGER],
    };
  }
}
