import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment';
import { LOGGER, type Logger } from '../logging/logger';
import { Metrics } from '../metrics/metrics';
import type * as OpenTelemetry from './record-spans';
import { NoSpans, Spans } from '../tracing/spans';

/** Provides spans to every module, and sends the last ones when everything else has stopped. */
@Global()
@Module({
  providers: [{ provide: Spans, inject: [ENVIRONMENT, LOGGER, Metrics], useFactory: spansOf }],
  exports: [Spans],
})
export class SpansModule implements OnApplicationShutdown {
  constructor(private readonly spans: Spans) {}

  onApplicationShutdown(): Promise<void> {
    return this.spans.stop();
  }
}

/** Loads OpenTelemetry only where spans are recorded. */
function spansOf({ tracing }: Environment, logger: Logger, metrics: Metrics): Spans {
  if (tracing === undefined) return new NoSpans();
  // `import()` would need the name of the compiled file, which tests do not have. The cast names what is loaded.
  // oxlint-disable-next-line typescript/no-require-imports
  const { recordSpans } = require('./record-spans') as typeof OpenTelemetry;
  return recordSpans(tracing, logger, metrics);
}
