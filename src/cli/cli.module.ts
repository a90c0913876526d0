import { Module, type DynamicModule } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { ConfigModule } from '../config/config.module';
import type { Environment } from '../config/environment';
import { DatabaseModule } from '../database/database.module';
import { DemoExpiry } from '../demo/demo-expiry';
import { ReconciliationService } from '../reconciliation/reconciliation.service';
import { CustomersService } from './customers.service';
import { ExchangeRatesService } from './exchange-rates.service';

/** What the operator's commands work with: the service's own parts, without HTTP. */
@Module({
  imports: [DatabaseModule, AuthModule],
  providers: [CustomersService, ExchangeRatesService, ReconciliationService, DemoExpiry],
})
export class CliModule {
  static forRoot(environment: Environment): DynamicModule {
    return { module: CliModule, imports: [ConfigModule.forRoot(environment)] };
  }
}
