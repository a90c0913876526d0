import { Module } from '@nestjs/common';
import { Idempotency } from './idempotency.service';
import { KeyAllowance } from './key-allowance';
import { KeyRetention } from './key-retention';
import { IdempotencyKeys } from './idempotency-keys';

/** Requests that have their effect only once, even if clients repeat them. */
@Module({ providers: [Idempotency, IdempotencyKeys, KeyAllowance, KeyRetention], exports: [Idempotency] })
export class IdempotencyModule {}
