import { Global, Module } from '@nestjs/common';
import { Workers } from './workers';

/** Provides the {@link Workers} of this instance to every module. */
@Global()
@Module({ providers: [Workers], exports: [Workers] })
export class BackgroundModule {}
