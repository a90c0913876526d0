import { Module } from '@nestjs/common';
import { SandboxModule } from '../sandbox/sandbox.module';
import { ConnectionsController } from './connections.controller';
import { ConnectionsService } from './connections.service';

@Module({ imports: [SandboxModule], controllers: [ConnectionsController], providers: [ConnectionsService] })
export class ConnectionsModule {}
