import { Module } from '@nestjs/common';
import { OwnFieldsLookup } from './own-fields-lookup';

/** The only memory of customers' own fields in this process. */
@Module({ providers: [OwnFieldsLookup], exports: [OwnFieldsLookup] })
export class OwnFieldsLookupModule {}
