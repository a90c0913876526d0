import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Some of the tools run on newer versions of Node than the service does. All get this one. */
const NODE = '24.21.0';

/** Longest time that a program may take, in milliseconds. */
const LONGEST = 300_000;

/** Programs that only a proof needs, in a temporary folder. */
export interface InstalledTools {
  readonly folder: string;
  /** Runs a program to its end in the folder. @returns what it printed. @throws Error with its output, where it fails */
  run(program: string, ...args: readonly string[]): Promise<Printed>;
  /** The same in another folder. */
  runIn(folder: string, program: string, ...args: readonly string[]): Promise<Printed>;
  /** Starts a program that serves. The caller ends it. */
  start(program: string, ...args: readonly string[]): ChildProcess;
  remove(): void;
}

/** What a program printed. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** Installs packages from the registry that npm is set up with. @param packages their exact versions */
export async function installTools(packages: Readonly<Record<string, string>>): Promise<InstalledTools> {
  const folder = mkdtempSync(join(tmpdir(), 'translation-tools-'));
  // The npm that runs this test hands its own options on, such as to be silent.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  const dependencies = { ...packages, node: NODE };
  // Newer versions of npm run no scripts but those that are named. That of Node brings the program for this machine.
  const allowScripts = { node: true };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies, allowScripts }));
  await execute('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, env, timeout: LONGEST });
  const node = join(folder, 'node_modules/node/bin/node');
  const commandOf = (program: string): string =>
    program.includes('.') ? join(folder, program) : join(folder, 'node_modules/.bin', program);
  const runIn = async (cwd: string, program: string, ...args: readonly string[]): Promise<Printed> => {
    const options = { cwd, env, timeout: LONGEST, maxBuffer: 64 * 1024 * 1024 };
    try {
      return await execute(node, [commandOf(program), ...args], options);
    } catch (cause) {
      const { stdout = '', stderr = '' } = cause as Partial<Printed>; // As execFile rejects.
      throw new Error(`${program} failed:\n${stdout}\n${stderr}`, { cause });
    }
  };
  return {
    folder,
    run: (program, ...args) => runIn(folder, program, ...args),
    runIn,
    start: (program, ...args) =>
      spawn(node, [commandOf(program), ...args], { cwd: folder, env, stdio: 'ignore' }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
