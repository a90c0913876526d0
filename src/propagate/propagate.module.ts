import { Module } from '@nestjs/common';
import { SandboxModule } from '../sandbox/sandbox.module';
import { PropagateController } from './propagate.controller';
import { PropagateService } from './propagate.service';

@Module({ imports: [SandboxModule], controllers: [PropagateController], providers: [PropagateService] })
export class PropagateModule {}
