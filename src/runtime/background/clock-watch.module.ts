import { Module } from '@nestjs/common';
import { ClockWatch } from './clock-watch';

/** Runs the {@link ClockWatch}. */
@Module({ providers: [ClockWatch] })
export class ClockWatchModule {}
