import { EventEmitter, once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { Readable } from 'node:stream';
import { outputTo } from '../../../src/cli/output';
import { runCli } from '../../../src/cli/run';
import { migratedDatabase, type TestDatabase } from '../../support/database/database';
import { StoredRecords } from '../../support/database/stored-records';
import { keysSetting, masterKey } from '../credentials/master-keys';
import { commandsOn } from './run-command';

jest.setTimeout(60_000);

const key = masterKey('first');

describe('a command that a signal interrupts', () => {
  let database: TestDatabase;
  let stored: StoredRecords;
  let silent: Server;
  const environment = () => ({
    DATABASE_URL: database.url,
    LOG_LEVEL: 'silent',
    CREDENTIALS_KEYS: keysSetting(key),
  });
  beforeAll(async () => {
    database = await migratedDatabase();
    stored = await StoredRecords.open(database.url);
    silent = createServer((socket) => void socket.on('error', () => undefined).resume()).listen(
      0,
      '127.0.0.1',
    );
    await once(silent, 'listening');
  });
  afterAll(async () => {
    silent.close();
    await stored.close();
    await database.drop();
  });

  it('releases its reading, so that another process can go on with it', async () => {
    const { aCustomer, piped } = commandsOn(() => database.url, environment());
    const of = ['--customer', await aCustomer(), '--platform', 'platform_a'];
    const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const credentials = { login_url: address, api_url: address, company_id: 1, client_id: 'client' };
    const text = JSON.stringify({ ...credentials, client_secret: 'hunter2' });
    expect((await piped(text, 'connections', 'set', ...of)).code).toBe(0);

    const signals = new EventEmitter();
    let said = '';
    const output = outputTo(
      (line) => (said += line),
      (line) => (said += line),
    );
    const connected = once(silent, 'connection');
    const code = runCli(
      ['connections', 'sync', ...of, '--json'],
      environment(),
      output,
      Readable.from([]),
      signals,
    );
    await Promise.race([connected, code]);
    signals.emit('SIGINT', 'SIGINT');
    expect({ code: await code, said }).toEqual({ code: 130, said: 'Interrupted\n' });
    expect(
      await stored.query('select status, lease_until < now() as is_released from sync_runs', []),
    ).toEqual([{ status: 'running', is_released: true }]);
  });
});
