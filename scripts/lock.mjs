import { createHash } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './project.mjs';

// The lock is outside the project, which has no folder of ours before the install. Its name has the user's ID, because one
// user cannot remove another one's file there. No package can do this: the lock guards the first install.
const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
const lock = join(tmpdir(), `construction-data-translation-${name}-${process.getuid?.() ?? ''}.lock`);

/** Does the work while no other start of this user works on this project. Takes over the lock of a start that died. */
export async function alone(work) {
  await acquire();
  const release = () => rmSync(lock, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

async function acquire() {
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, identity(process.pid) ?? '');
  try {
    for (let waits = 0; ; waits += 1) {
      if (linked(own)) return;
      const holder = read(lock);
      if (holder === undefined) continue;
      if (identity(Number.parseInt(holder, 10)) !== holder) {
        takeAway(holder);
        continue;
      }
      if (waits === 5)
        console.error(`Waiting for another start (process ${holder.split(' ')[0]}) to install or build …`);
      await sleep(200);
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** Creates the lock in one step, unless there is one already. */
function linked(own) {
  try {
    linkSync(own, lock);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a dead process's lock. If another start has already replaced it, puts the new lock back. */
function takeAway(dead) {
  const aside = `${lock}.${process.pid}.stale`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (read(aside) !== dead) linked(aside);
  rmSync(aside, { force: true });
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The name of a running process, different from that of a later one with the same number; undefined if there is none. */
function identity(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return undefined;
  }
  // Fields 3 (state) and 22 (time of start) of Linux's stat, counted after the name, which may contain anything.
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ');
  return fields?.[0] === 'Z' ? undefined : `${pid} ${fields?.[19] ?? ''}`;
}
