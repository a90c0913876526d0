import type { DatabaseWindowStorage } from './database-window.storage';
import type { MemoryWindowStorage } from './memory-window.storage';

/** Where hits are counted. */
export type RateLimitStorage = DatabaseWindowStorage | MemoryWindowStorage;

/** Token of the storage that the environment chose. */
export const RATE_LIMIT_STORAGE: unique symbol = Symbol('RATE_LIMIT_STORAGE');
