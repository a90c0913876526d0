import { Module } from '@nestjs/common';
import { MatchingDecisions } from '../reconciliation/decisions/decisions.service';
import { DecisionsController } from './decisions.controller';
import { DecisionsService } from './decisions.service';

/** `/reconciliation/decisions`. */
@Module({ controllers: [DecisionsController], providers: [DecisionsService, MatchingDecisions] })
export class DecisionsModule {}
