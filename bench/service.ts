import { Test } from '@nestjs/testing';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AddressInfo } from 'node:net';
import { AppModule } from '../src/app.module';
import { readEnvironment } from '../src/config/environment';
import { APP_OPTIONS, configureApp } from '../src/start/configure-app';
import { ServiceAdapter } from '../src/http/service.adapter';
import { createLogger } from '../src/logging/logger';
import type { Connector } from '../src/connectors/connector';
import { Connectors } from '../src/connectors/registry';

/** One connector for every connection. */
export class OneConnector extends Connectors {
  constructor(private readonly only: Connector) {
    super(undefined as never);
  }

  override connectorFor(): Connector {
    return this.only;
  }
}

/** The service on a free port, with other connectors than the sandbox's. */
export async function startService(
  databaseUrl: string,
  connectors: Connectors,
): Promise<{ readonly app: NestExpressApplication; readonly url: string }> {
  const environment = { ...readEnvironment({}), port: 0, databaseUrl, logLevel: 'silent' as const };
  const logger = createLogger(environment.logLevel);
  const module = await Test.createTestingModule({ imports: [AppModule.forRoot(environment, logger)] })
    .overrideProvider(Connectors)
    .useValue(connectors)
    .compile();
  const app = module.createNestApplication<NestExpressApplication>(new ServiceAdapter(), {
    ...APP_OPTIONS,
    logger: false,
  });
  configureApp(app, environment, logger);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, url: `http://127.0.0.1:${port}` };
}
