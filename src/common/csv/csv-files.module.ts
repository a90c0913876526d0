import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { CsvFiles } from './csv-files';

/** Files, with the customer's name in their heads. */
@Module({ imports: [AuthModule], providers: [CsvFiles], exports: [CsvFiles] })
export class CsvFilesModule {}
