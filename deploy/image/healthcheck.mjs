// Asks the service in this container how it is: `node healthcheck.mjs [PATH]`. The image has no curl.
import { get } from 'node:http';

const LIMIT = 2_500;
const path = process.argv[2] ?? '/livez';
const port = process.env.PORT?.trim() || '3000';
// Where the service listens everywhere, it does so on the loopback, too.
const set = process.env.HOST?.trim() || '0.0.0.0';
const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[set] ?? set;

function end(problem) {
  if (problem !== undefined) console.error(`${path}: ${problem}`);
  process.exit(problem === undefined ? 0 : 1);
}

setTimeout(() => end(`no answer within ${LIMIT} ms`), LIMIT);
get({ host, port, path }, ({ statusCode }) =>
  end(statusCode === 200 ? undefined : `status ${statusCode}`),
).on('error', (error) => end(error.message));
