import { Global, Module } from '@nestjs/common';
import { Clock } from './clock';
import { DatabaseClock } from './database-clock';

/** Provides the clock to every module. */
@Global()
@Module({
  providers: [DatabaseClock, { provide: Clock, useExisting: DatabaseClock }],
  exports: [DatabaseClock, Clock],
})
export class ClockModule {}
