import { Module } from '@nestjs/common';
import { ThrottlerModule, type ThrottlerStorage } from '@nestjs/throttler';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { AddressLimit } from './address-limit';
import { DatabaseWindowStorage } from './database-window.storage';
import { MemoryWindowStorage } from './memory-window.storage';
import { WINDOW_STORAGE, type WindowStorage } from './window-storage';
import { WindowSweepSchedule } from './window-sweep.schedule';

/** Maximum number of requests of a client address in a window, and the window's length in milliseconds. */
const LIMIT = 5;
const WINDOW = 60_000;

@Module({
  providers: [
    {
      provide: WINDOW_STORAGE,
      inject: [ENVIRONMENT, UnitOfWork],
      useFactory: ({ rateLimitStorage }: Environment, unitOfWork: UnitOfWork): WindowStorage =>
        rateLimitStorage === 'database' ? new DatabaseWindowStorage(unitOfWork) : new MemoryWindowStorage(),
    },
    WindowSweepSchedule,
  ],
  exports: [WINDOW_STORAGE],
})
class RateLimitStorageModule {}

/** The limit of the routes that are marked with RateLimited. AppModule installs the guard. */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      imports: [RateLimitStorageModule],
      inject: [WINDOW_STORAGE],
      useFactory: (storage: ThrottlerStorage) => ({ throttlers: [{ limit: LIMIT, ttl: WINDOW }], storage }),
    }),
  ],
  providers: [AddressLimit],
  exports: [AddressLimit],
})
export class RateLimitModule {}
