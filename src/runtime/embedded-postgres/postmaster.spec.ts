import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { endianness, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostmaster, freePort, hasCrashed, lastPort } from './postmaster';

describe('what a data folder shows of its server', () => {
  let data: string;
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'postmaster-'));
  });
  afterEach(() => rm(data, { recursive: true }));

  it('shows no server while it is empty', async () => {
    expect(await findPostmaster(data)).toBeUndefined();
    expect(await hasCrashed(data)).toBe(false);
    expect(await lastPort(data)).toBeUndefined();
  });

  it('is a crash when postmaster.pid names a process that is not the server', async () => {
    await writeFile(join(data, 'postmaster.pid'), '999999999\n/data\n1\n5433\n');
    expect(await findPostmaster(data)).toBeUndefined();
    expect(await hasCrashed(data)).toBe(true);
  });

  it('makes nothing of a postmaster.pid that is not written yet', async () => {
    await writeFile(join(data, 'postmaster.pid'), '');
    expect(await findPostmaster(data)).toBeUndefined();
    expect(await hasCrashed(data)).toBe(false);
  });

  it.each([
    ['was stopped', 1, false],
    ['was stopped as a standby', 2, false],
    ['was about to stop', 3, true],
    ['was recovering', 4, true],
    ['was at work', 6, true],
  ])('without postmaster.pid, goes by the files of a server that %s', async (_what, state, crashed) => {
    const control = Buffer.alloc(8192);
    if (endianness() === 'LE') control.writeInt32LE(state, 16);
    else control.writeInt32BE(state, 16);
    await mkdir(join(data, 'global'));
    await writeFile(join(data, 'global', 'pg_control'), control);
    expect(await hasCrashed(data)).toBe(crashed);
  });

  it('is the port of the last start', async () => {
    await writeFile(join(data, 'postmaster.opts'), '/x/postgres "-D" "/data" "-p" "54321" "-c" "a=b"\n');
    expect(await lastPort(data)).toBe(54321);
  });
});

describe('freePort', () => {
  it('gives the preferred port while it is free, and another one when it is not', async () => {
    const free = await freePort();
    expect(await freePort(free)).toBe(free);

    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen({ host: '127.0.0.1', port: free }, resolve));
    const other = await freePort(free);
    await new Promise((resolve) => holder.close(resolve));
    expect(other).toBeGreaterThan(0);
    expect(other).not.toBe(free);
  });
});
