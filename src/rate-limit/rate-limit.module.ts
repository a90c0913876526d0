import { Module } from '@nestjs/common';
import { ThrottlerModule, type ThrottlerStorage } from '@nestjs/throttler';
import { ENVIRONMENT, type Environment } from '../config/environment';
import { UnitOfWork } from '../database/unit-of-work';
import { DatabaseWindowStorage } from './database-window.storage';
import { MemoryWindowStorage } from './memory-window.storage';
import { RATE_LIMIT_STORAGE, type RateLimitStorage } from './rate-limit-storage';
import { WindowSweepSchedule } from './window-sweep.schedule';

/** Requests a client address may make in a window, and the window's length in milliseconds. */
const LIMIT = 5;
const WINDOW = 60_000;

@Module({
  providers: [
    {
      provide: RATE_LIMIT_STORAGE,
      inject: [ENVIRONMENT, UnitOfWork],
      useFactory: ({ rateLimitStorage }: Environment, unitOfWork: UnitOfWork): RateLimitStorage =>
        rateLimitStorage === 'database' ? new DatabaseWindowStorage(unitOfWork) : new MemoryWindowStorage(),
    },
    WindowSweepSchedule,
  ],
  exports: [RATE_LIMIT_STORAGE],
})
class RateLimitStorageModule {}

/** The limit of the routes that are marked with RateLimited; the guard is among those of HttpModule. */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      imports: [RateLimitStorageModule],
      inject: [RATE_LIMIT_STORAGE],
      useFactory: (storage: ThrottlerStorage) => ({ throttlers: [{ limit: LIMIT, ttl: WINDOW }], storage }),
    }),
  ],
  exports: [ThrottlerModule],
})
export class RateLimitModule {}
