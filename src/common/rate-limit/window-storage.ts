import type { DatabaseWindowStorage } from './database-window.storage';
import type { MemoryWindowStorage } from './memory-window.storage';

/** Where hits are counted. */
export type WindowStorage = DatabaseWindowStorage | MemoryWindowStorage;

/** Token of the storage that the environment chose. */
export const WINDOW_STORAGE: unique symbol = Symbol('WINDOW_STORAGE');
