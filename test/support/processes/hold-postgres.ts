// A process of its own that uses the embedded PostgreSQL until it is killed: `hold-postgres.ts FOLDER`.
import { startEmbeddedPostgres } from '../../../src/runtime/embedded-postgres/embedded-postgres';

const [, , folder] = process.argv;
if (folder === undefined) throw new Error('Say which folder.');

void startEmbeddedPostgres(folder).then(({ url }) => {
  process.stdout.write(`${url}\n`);
  process.stdin.resume(); // until its parent goes
});
