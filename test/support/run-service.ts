// A process of its own that serves until it is killed, configured by its environment as the service is.
import 'reflect-metadata';
import { readEnvironment } from '../../src/config/environment';
import { createLogger } from '../../src/logging/logger';
import { serve } from '../../src/start/serve';

const environment = readEnvironment(process.env);
const never = new AbortController();

void serve(environment, createLogger(environment.logLevel), never.signal, (url) => {
  process.stdout.write(`${url}\n`);
});
