import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { CsvFiles } from './csv-files';

/** Provides {@link CsvFiles}, which look up the customer for the heads of files. */
@Module({ imports: [AuthModule], providers: [CsvFiles], exports: [CsvFiles] })
export class CsvFilesModule {}
