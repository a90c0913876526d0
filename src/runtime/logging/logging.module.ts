import { Module, type DynamicModule } from '@nestjs/common';
import { LOGGER, type Logger } from './logger';

/** Gives every module the logger that the process was started with. */
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
