import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../common/idempotency/idempotency.module';
import { OpenApiModule } from '../common/openapi/openapi.module';
import { ObjectsModule } from '../objects/objects.module';
import { PropagateModule } from '../propagate/propagate.module';
import { DecisionsModule } from '../reconciliation/decisions/decisions.module';
import { CasesModule } from '../reconciliation/cases/cases.module';
import { ReconciliationModule } from '../reconciliation/reconciliation.module';
import { SchemaModule } from '../schema/schema.module';
import { TransformModule } from '../transform/transform.module';
import { ChangingTools } from './changing.tools';
import { McpController } from './mcp.controller';
import { McpService } from './mcp.service';
import { ReadingTools } from './reading.tools';

/** `/mcp`: access to the features for agents. It calls the services of the features, as their controllers do. */
@Module({
  imports: [
    IdempotencyModule,
    OpenApiModule,
    ObjectsModule,
    PropagateModule,
    DecisionsModule,
    CasesModule,
    ReconciliationModule,
    SchemaModule,
    TransformModule,
  ],
  controllers: [McpController],
  providers: [ReadingTools, ChangingTools, McpService],
})
export class McpModule {}
