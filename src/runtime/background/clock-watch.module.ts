import { Module } from '@nestjs/common';
import { ClockWatch } from './clock-watch';

@Module({ providers: [ClockWatch] })
export class ClockWatchModule {}
