// A process of its own that serves until it is stopped or killed, configured by its environment as the service is.
import 'reflect-metadata';
import { readEnvironment } from '../../../src/runtime/config/environment';
import { createLogger, flushed } from '../../../src/runtime/logging/logger';
import { keepLittleGarbage } from '../../../src/runtime/start/garbage';
import { serve } from '../../../src/runtime/start/serve';
import { stopSignal } from '../../../src/runtime/start/stop-signal';

const environment = readEnvironment(process.env);

const logger = createLogger(environment.logLevel);

keepLittleGarbage();
void serve(environment, logger, stopSignal(), (url) => {
  process.stdout.write(`${url}\n`);
})
  .then(() => flushed(logger))
  .then(() => process.exit(0));
