import 'reflect-metadata';
import { readEnvironment } from './runtime/config/environment';
import { createLogger, flushed } from './runtime/logging/logger';
import { keepLittleGarbage } from './runtime/start/garbage';
import { startProblem } from './runtime/start/start-error';
import { aborted, stopSignal } from './runtime/start/stop-signal';

/** Stopping takes less than the 10 s after which supervisors kill the process. */
const STOPPED_BY = 9_500;

async function main(): Promise<void> {
  const environment = readEnvironment(process.env);
  const logger = createLogger(environment.logLevel);
  const stop = stopSignal();
  void aborted(stop).then(() => {
    setTimeout(() => {
      logger.warn('Something takes too long to stop and is left behind');
      process.exit(0);
    }, STOPPED_BY).unref();
  });
  // Most of the code loads only now, when the process already listens to signals.
  const { serve } = await import('./runtime/start/serve.js');
  keepLittleGarbage();
  await serve(environment, logger, stop, (url, consoleUrl) => {
    process.stdout.write(`Listening on ${url}\n`);
    if (consoleUrl !== undefined) process.stdout.write(`Console on ${consoleUrl}\n`);
  });
  await flushed(logger);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${startProblem(error)}\n`);
    process.exit(1);
  },
);
