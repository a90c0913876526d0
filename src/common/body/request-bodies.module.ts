import { Global, Module } from '@nestjs/common';
import { RequestBodies } from './request-bodies';

/** The one account of the bodies in this process. */
@Global()
@Module({ providers: [RequestBodies], exports: [RequestBodies] })
export class RequestBodiesModule {}
