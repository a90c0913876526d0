import { Module } from '@nestjs/common';
import { AuthModule } from './auth.module';
import { KeyChangesListener } from './key-changes.listener';

/** Lets the service receive key changes from other instances. The operator's commands do not need it. */
@Module({ imports: [AuthModule], providers: [KeyChangesListener] })
export class KeyChangesModule {}
