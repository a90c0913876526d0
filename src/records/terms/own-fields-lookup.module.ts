import { Module } from '@nestjs/common';
import { OwnFieldsLookup } from './own-fields-lookup';

/** A module of its own, so that one process has one {@link OwnFieldsLookup}. */
@Module({ providers: [OwnFieldsLookup], exports: [OwnFieldsLookup] })
export class OwnFieldsLookupModule {}
