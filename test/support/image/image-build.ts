import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join, posix, relative } from 'node:path';
import { promisify } from 'node:util';
import type { Instruction } from 'dockerfile-ast';
import { isInBuildContext } from '../../deploy/build-context';
import { copyOf, execForm, stages, type Copy, type Stage } from '../../deploy/image';
import { root as project } from '../../deploy/project';
import type { BaseImage } from './base-image';

const execute = promisify(execFile);

/** Milliseconds for which one step may take. */
const LONGEST = 600_000;

/** Certificates of the authorities that this machine trusts, and where a step finds them. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
const AUTHORITIES_THERE = '/etc/authorities-of-the-machine.crt';

/** What the last stage of the Dockerfile says about how it is run. */
export interface BuiltImage extends BaseImage {
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  /** As `10001:10001`. */
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  /** Instructions that were carried out, of all stages. */
  readonly steps: number;
}

/** A stage while its instructions are carried out. */
interface Building {
  readonly folder: string;
  workdir: string;
  env: Record<string, string>;
  user: string;
  entrypoint: readonly string[];
  command: readonly string[];
  healthcheck: readonly string[];
  steps: number;
}

/**
 * Carries out the Dockerfile's instructions, each stage in a copy of the base. Knows those that the file uses, and throws for any
 * other. Layers and caches are left out.
 */
export async function buildImage(base: BaseImage): Promise<BuiltImage> {
  const built = new Map<string | null, Building>();
  const folders: string[] = [];
  const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true });
  try {
    let last: Building | undefined;
    for (const stage of stages()) {
      const folder = mkdtempSync(join(tmpdir(), 'translation-stage-'));
      folders.push(folder);
      await execute('cp', ['--archive', '--reflink=auto', `${base.folder}/.`, folder]);
      last = await buildStage(stage, folder, built);
      built.set(stage.name, last);
    }
    if (last === undefined) throw new Error('The Dockerfile has no stage');
    const { folder } = last;
    for (const other of folders.filter((each) => each !== folder)) remove(other);
    const steps = [...built.values()].reduce((sum, stage) => sum + stage.steps, 0);
    return { ...last, steps, remove: () => remove(folder) };
  } catch (error) {
    folders.forEach(remove);
    throw error;
  }
}

async function buildStage(
  stage: Stage,
  folder: string,
  built: ReadonlyMap<string | null, Building>,
): Promise<Building> {
  const nothing = { entrypoint: [], command: [], healthcheck: [], steps: 0 };
  const building: Building = {
    ...{ folder, workdir: '/', env: { PATH: '/usr/local/bin:/usr/bin:/bin' }, user: '0:0' },
    ...nothing,
  };
  for (const instruction of stage.instructions) {
    await carryOut(instruction, building, built);
    building.steps += 1;
  }
  return building;
}

async function carryOut(
  instruction: Instruction,
  building: Building,
  built: ReadonlyMap<string | null, Building>,
): Promise<void> {
  const text = instruction.getArgumentsContent() ?? '';
  switch (instruction.getKeyword()) {
    case 'WORKDIR':
      building.workdir = posix.resolve(building.workdir, text);
      mkdirSync(join(building.folder, building.workdir), { recursive: true });
      return;
    case 'ENV': {
      const [name = '', value = ''] = text.split('=');
      building.env[name] = value;
      return;
    }
    case 'COPY':
      return copy(copyOf(instruction), building, built);
    case 'RUN':
      return runIn(building, text);
    case 'USER':
      building.user = text;
      return;
    case 'EXPOSE':
      return;
    case 'HEALTHCHECK':
      building.healthcheck = execForm(text.replace(/^CMD /, ''));
      return;
    case 'ENTRYPOINT':
      building.entrypoint = execForm(text);
      return;
    case 'CMD':
      building.command = execForm(text);
      return;
    default:
      throw new Error(`${instruction.getKeyword()} is an instruction that this build does not know`);
  }
}

async function copy(
  { stage, owner, sources, destination }: Copy,
  building: Building,
  built: ReadonlyMap<string | null, Building>,
): Promise<void> {
  const from = stage === undefined ? project : built.get(stage)?.folder;
  if (from === undefined) throw new Error(`There is no stage ${stage}`);
  const target = join(building.folder, posix.resolve(building.workdir, destination));
  const isFolder = destination.endsWith('/') || sources.length > 1;
  for (const source of sources) {
    const path = join(from, source);
    const to = isFolder && !statSync(path).isDirectory() ? join(target, basename(source)) : target;
    const isWanted = (each: string): boolean =>
      stage !== undefined || each === project || mayHold(relative(project, each));
    mkdirSync(isFolder ? target : join(target, '..'), { recursive: true });
    cpSync(path, to, { recursive: true, verbatimSymlinks: true, filter: isWanted });
    if (owner !== undefined) await execute('chown', ['--recursive', '--no-dereference', owner, to]);
  }
}

/** Whether .dockerignore lets a file in, or may let in something of a folder. */
function mayHold(path: string): boolean {
  if (isInBuildContext(path)) return true;
  const folder = join(project, path);
  return (
    statSync(folder).isDirectory() && readdirSync(folder).some((name) => isInBuildContext(join(path, name)))
  );
}

/** Runs a command of the shell as root, in namespaces of its own; only the network is the machine's. */
async function runIn({ folder, workdir, env }: Building, text: string): Promise<void> {
  const secret = join(homedir(), '.npmrc');
  const script = [
    'set -e',
    'mount -t proc proc "$ROOT/proc"',
    'mount --rbind /dev "$ROOT/dev"',
    'touch "$ROOT/etc/resolv.conf"; mount --bind /etc/resolv.conf "$ROOT/etc/resolv.conf"',
    'touch "$ROOT/etc/hosts"; mount --bind /etc/hosts "$ROOT/etc/hosts"',
    // A registry of one's own may have an authority of its own.
    ...(existsSync(AUTHORITIES)
      ? [`touch "$ROOT${AUTHORITIES_THERE}"; mount --bind ${AUTHORITIES} "$ROOT${AUTHORITIES_THERE}"`]
      : []),
    // The Dockerfile's secret, in each step rather than in those that ask for it.
    ...(existsSync(secret) ? ['touch "$ROOT/root/.npmrc"; mount --bind "$SECRET" "$ROOT/root/.npmrc"'] : []),
    `exec chroot "$ROOT" env -i HOME=/root NODE_EXTRA_CA_CERTS=${AUTHORITIES_THERE} ${assignments(env)} sh -c 'cd "$0" && eval "$1"' "$WORKDIR" "$COMMAND"`,
  ].join('\n');
  await execute('unshare', ['--mount', '--pid', '--fork', 'sh', '-c', script], {
    env: {
      ...process.env,
      ROOT: folder,
      WORKDIR: workdir,
      SECRET: secret,
      COMMAND: text,
    },
    timeout: LONGEST,
    maxBuffer: 64 * 1024 * 1024,
  });
  // The files that others were mounted on are no part of the image.
  for (const path of ['root/.npmrc', AUTHORITIES_THERE]) rmSync(join(folder, path), { force: true });
}

/** Variables for `env`, quoted for the shell. */
export function assignments(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `'${name}=${value.replaceAll("'", `'\\''`)}'`)
    .join(' ');
}
