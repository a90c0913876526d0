import { Module } from '@nestjs/common';
import { AuthModule } from './auth.module';
import { KeyChangesListener } from './key-changes.listener';

/** What the service hears of keys that other instances end; the operator's commands do without. */
@Module({ imports: [AuthModule], providers: [KeyChangesListener] })
export class KeyChangesModule {}
