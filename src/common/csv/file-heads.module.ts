import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { FileHeads } from './file-heads';

/** Heads of files, with the customer's name. */
@Module({ imports: [AuthModule], providers: [FileHeads], exports: [FileHeads] })
export class FileHeadsModule {}
