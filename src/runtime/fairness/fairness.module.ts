import { Global, Module } from '@nestjs/common';
import { LoopTime } from './loop-time';

/** The one account of the event loop's time in this process. */
@Global()
@Module({ providers: [{ provide: LoopTime, useFactory: () => new LoopTime() }], exports: [LoopTime] })
export class FairnessModule {}
