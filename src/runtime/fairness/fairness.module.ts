import { Global, Module } from '@nestjs/common';
import { EventLoopScheduler } from './event-loop-scheduler';

/** The one account of the event loop's time in this process. */
@Global()
@Module({
  providers: [{ provide: EventLoopScheduler, useFactory: () => new EventLoopScheduler() }],
  exports: [EventLoopScheduler],
})
export class FairnessModule {}
