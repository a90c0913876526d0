import { Global, Module } from '@nestjs/common';
import { BackgroundTasks } from './background-tasks';

@Global()
@Module({ providers: [BackgroundTasks], exports: [BackgroundTasks] })
export class ScheduleModule {}
