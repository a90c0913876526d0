import { Module } from '@nestjs/common';
import { ThrottlerModule, type ThrottlerStorage } from '@nestjs/throttler';
import { ENVIRONMENT, type Environment } from '../config/environment';
import { UnitOfWork } from '../database/unit-of-work';
import { LOGGER, type Logger } from '../logging/logger';
import { DatabaseWindowStorage } from './database-window.storage';
import { MemoryWindowStorage } from './memory-window.storage';

/** Requests a client address may make in a window, and the window's length in milliseconds. */
const LIMIT = 5;
const WINDOW = 60_000;

const STORAGE: unique symbol = Symbol('RATE_LIMIT_STORAGE');

@Module({
  providers: [
    {
      provide: STORAGE,
      inject: [ENVIRONMENT, UnitOfWork, LOGGER],
      useFactory: ({ rateLimitStorage }: Environment, unitOfWork: UnitOfWork, logger: Logger) =>
        rateLimitStorage === 'database'
          ? new DatabaseWindowStorage(unitOfWork, logger)
          : new MemoryWindowStorage(),
    },
  ],
  exports: [STORAGE],
})
class RateLimitStorageModule {}

/** The limit of the routes that are marked with RateLimited; the guard is among those of HttpModule. */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      imports: [RateLimitStorageModule],
      inject: [STORAGE],
      useFactory: (storage: ThrottlerStorage) => ({ throttlers: [{ limit: LIMIT, ttl: WINDOW }], storage }),
    }),
  ],
  exports: [ThrottlerModule],
})
export class RateLimitModule {}
