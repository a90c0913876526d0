import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { assignments, type BuiltImage } from './image-build';

/** A program that ended. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** A program that runs in the image. */
export interface Container {
  readonly hasEnded: boolean;
  /** What it has written so far. */
  readonly output: string;
  /** Sends the first process SIGTERM. @returns how it ended, and after how many milliseconds */
  stop(): Promise<Ended & { readonly tookMs: number }>;
  kill(): void;
}

/** How a program is run in an image. */
export interface ContainerOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** In place of the image's entry point and command. */
  readonly command?: readonly string[];
}

/**
 * What the shell does in namespaces of its own before the program takes its place as process 1: the root becomes read-only, `/tmp` a
 * small file system of its own, and the user loses every capability and each way to more rights, as the manifests have it.
 */
const ENTER = `
set -e
mount --bind "$ROOT" "$ROOT"
mount -t tmpfs -o size=64m,mode=1777 tmpfs "$ROOT/tmp"
mount -t proc proc "$ROOT/proc"
mount -t tmpfs -o size=64k,mode=755 tmpfs "$ROOT/dev"
for name in null zero full random urandom; do touch "$ROOT/dev/$name"; mount --bind "/dev/$name" "$ROOT/dev/$name"; done
mount -o remount,ro,bind "$ROOT"
cd "$ROOT"
exec chroot . sh -c 'cd "$0"; exec "$@"' "$WORKDIR" \\
  setpriv --reuid="$USER_ID" --regid="$GROUP_ID" --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs \\
  env -i`;

const processOf = (image: BuiltImage, { env = {}, command }: ContainerOptions) => {
  const [user = '', group = ''] = image.user.split(':');
  const program = command ?? [...image.entrypoint, ...image.command];
  const script = `${ENTER} ${assignments({ ...image.env, ...env })} "$@"`;
  const options = ['--mount', '--pid', '--ipc', '--uts', '--fork'];
  return spawn('unshare', [...options, 'sh', '-c', script, 'sh', ...program], {
    env: {
      ...process.env,
      ROOT: image.folder,
      WORKDIR: image.workdir,
      USER_ID: user,
      GROUP_ID: group,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
};

/** Starts a program in the image; its own without another command. */
export function startContainer(image: BuiltImage, options: ContainerOptions = {}): Container {
  const started = processOf(image, options);
  const ended = once(started, 'close');
  let output = '';
  for (const stream of [started.stdout, started.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return {
    get hasEnded() {
      return started.exitCode !== null || started.signalCode !== null;
    },
    get output() {
      return output;
    },
    stop: async () => {
      const begun = performance.now();
      signal(started, 'SIGTERM');
      await ended;
      return { code: started.exitCode, output, tookMs: performance.now() - begun };
    },
    kill: () => signal(started, 'SIGKILL'),
  };
}

/** Sends the first process a signal, if it runs: `unshare` waits for it and passes none on. */
function signal({ pid, exitCode }: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined || exitCode !== null) return;
  const first = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
  if (first > 0) process.kill(first, name);
}

/** Runs a program in the image to its end. */
export async function runInContainer(image: BuiltImage, options: ContainerOptions): Promise<Ended> {
  const started = processOf(image, options);
  let output = '';
  for (const stream of [started.stdout, started.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(started, 'close');
  return { code: started.exitCode, output };
}
