import { Global, Module } from '@nestjs/common';
import { EventLoopScheduler } from './event-loop-scheduler';

/** Provides the only scheduler of this process's event loop. */
@Global()
@Module({
  providers: [{ provide: EventLoopScheduler, useFactory: () => new EventLoopScheduler() }],
  exports: [EventLoopScheduler],
})
export class FairnessModule {}
