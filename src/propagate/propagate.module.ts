import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../connectors/connectors.module';
import { PropagateController } from './propagate.controller';
import { PropagateService } from './propagate.service';

@Module({ imports: [ConnectorsModule], controllers: [PropagateController], providers: [PropagateService] })
export class PropagateModule {}
