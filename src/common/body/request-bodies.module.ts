import { Global, Module } from '@nestjs/common';
import { RequestBodies } from './request-bodies';

/** Provides the only account of the memory of bodies in this process. */
@Global()
@Module({ providers: [RequestBodies], exports: [RequestBodies] })
export class RequestBodiesModule {}
