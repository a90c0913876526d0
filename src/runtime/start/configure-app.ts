import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { parse as parseQuery } from 'node:querystring';
import { AppModule } from '../../app.module';
import type { Environment } from '../config/environment';
import { RequestAdmission } from '../../common/admission/request-admission';
import { answersForOrigins, preflights } from '../../common/middleware/cross-origin.middleware';
import { MCP_ROUTE } from '../../common/request/mcp-path';
import { PROBE_PATHS } from '../../common/request/probe-paths';
import { jsonOnly } from '../../common/body/json-only.middleware';
import { whenRequestEnds } from '../../common/middleware/request-end.middleware';
import { requestLog } from '../../common/middleware/request-log';
import { requestScope } from '../../common/middleware/request-scope.middleware';
import { endRequestSpan } from '../../common/middleware/request-span';
import { requireHost } from '../../common/middleware/require-host.middleware';
import { securityHeaders } from '../../common/middleware/security-headers.middleware';
import { ServiceAdapter } from '../../common/server/service.adapter';
import { WEBHOOK_ROUTE } from '../../common/request/webhook-paths';
import type { Logger } from '../logging/logger';
import { NestLogger } from '../logging/nest-logger';
import { Metrics } from '../metrics/metrics';
import { Spans } from '../tracing/spans';
import type { ConsoleFiles } from '../../console/console-files';
import { consolePage } from '../../console/console-page';
import { ApiDescription } from '../../common/openapi/api-description';
import { referencePage } from '../../common/openapi/reference-page';

/** Options for Nest: request bodies are read after the guards, see JsonBodyGuard. */
export const APP_OPTIONS = { bodyParser: false, abortOnError: false } as const;

/**
 * Creates the application on the database of `environment.databaseUrl`, ready to listen.
 *
 * @param files the files of the console; without them the console is not served
 */
export async function createApp(
  environment: Environment,
  logger: Logger,
  files?: ConsoleFiles,
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(environment, logger),
    new ServiceAdapter(),
    { ...APP_OPTIONS, logger: new NestLogger(logger) },
  );
  return configureApp(app, environment, logger, files);
}

/**
 * Installs the middleware that precedes the routes, in the order in which a request passes it. Tests use the same
 * function.
 */
export function configureApp(
  app: NestExpressApplication,
  environment: Environment,
  logger: Logger,
  files?: ConsoleFiles,
): NestExpressApplication {
  const adapter = app.getHttpAdapter();
  if (adapter instanceof ServiceAdapter) adapter.admission = app.get(RequestAdmission, { strict: false });
  app.set('trust proxy', environment.trustProxy);
  app.set('etag', false); // Express would hash every response. Handlers set entity tags.
  app.disable('x-powered-by');
  // All parameters: by default Node reads a thousand and silently ignores the rest.
  app.set('query parser', (query: string) => parseQuery(query, '&', '=', { maxKeys: 0 }));
  app.setGlobalPrefix('api/v1', { exclude: [...PROBE_PATHS, WEBHOOK_ROUTE, MCP_ROUTE] });
  app.use(
    requestScope(app.get(Spans, { strict: false })),
    whenRequestEnds(requestLog(logger), app.get(Metrics, { strict: false }).observeRequest, endRequestSpan),
    requireHost,
    securityHeaders(),
    answersForOrigins(environment.corsAllowedOrigins),
    jsonOnly, // Has no effect on CORS preflight requests.
  );
  app.enableCors(preflights(environment.corsAllowedOrigins));
  app.use(referencePage()); // After the CORS middleware: an Express router would answer preflight requests itself.
  if (files !== undefined) app.use(consolePage(files));
  app.get(ApiDescription, { strict: false }).of(app);
  return app;
}
