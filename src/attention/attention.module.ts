import { Module } from '@nestjs/common';
import { AttentionService } from './attention.service';
import { AttentionWatch } from './attention-watch';

/** What waits for a person, on request. */
@Module({ providers: [AttentionService], exports: [AttentionService] })
export class AttentionModule {}

/** {@link AttentionModule} with its metrics. */
@Module({ imports: [AttentionModule], providers: [AttentionWatch] })
export class AttentionWatchModule {}
