import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { InstalledTools } from '../installed/installed-tools';

const ROOT = join(__dirname, '../../..');

/** A part of the code whose tests must detect each mutation. */
export interface MutatedArea {
  readonly name: string;
  /** Prefixes of the paths of its files. */
  readonly code: readonly string[];
  /** Prefixes of the paths of its unit tests. */
  readonly tests: readonly string[];
}

/** A range of lines of a file, counted from 1, both ends included. */
export interface LineRange {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** The result of a mutant. */
export interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly mutator: string;
  readonly replacement: string;
  /** Whether a test failed or did not end; undefined if the mutant could not be tested. */
  readonly isNoticed: boolean | undefined;
}

interface Report {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly mutants: readonly {
          readonly status: string;
          readonly mutatorName: string;
          readonly replacement?: string;
          readonly location: { readonly start: { readonly line: number } };
        }[];
      }
    >
  >;
}

const NOTICED: Readonly<Record<string, boolean>> = {
  Killed: true,
  Timeout: true,
  Survived: false,
  NoCoverage: false,
};

/** A copy of the project in which code is mutated and its tests run. */
export class MutatedProject {
  private constructor(
    private readonly tools: InstalledTools,
    private readonly folder: string,
    /** Paths of all files, relative to the project. */
    readonly files: readonly string[],
  ) {}

  /** @param tools Stryker with its runner for Jest */
  static async copy(tools: InstalledTools): Promise<MutatedProject> {
    const folder = join(tools.folder, 'project');
    const listed = await promisify(execFile)(
      'git',
      [
        'ls-files',
        '--cached',
        '--others',
        '--exclude-standard',
        'src',
        'libs',
        'tools',
        'migrations',
        'test/support',
        '*.json',
        '*.js',
      ],
      { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 },
    );
    const files = listed.stdout.split('\n').filter((file) => file !== '');
    for (const file of files) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await copyFile(join(ROOT, file), join(folder, file));
    }
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    return new MutatedProject(tools, folder, files);
  }

  /** Tests every mutant of some lines with the unit tests of their area. */
  async tryMutants({ tests }: MutatedArea, ranges: readonly LineRange[]): Promise<readonly Mutant[]> {
    const report = join(this.folder, 'mutants.json');
    const files = await this.testsUnder(tests);
    // Without the environment and runtime that share modules, because each mutant must be loaded anew.
    const unit = `const { projects: [{ testEnvironment, runtime, ...unit }] } = require('./jest.config.js');`;
    const config = `${unit}\nmodule.exports = { ...unit, testEnvironment: 'node', testMatch: ${JSON.stringify(files)} };\n`;
    await writeFile(join(this.folder, 'jest.mutants.cjs'), config);
    await writeFile(
      join(this.folder, 'stryker.config.json'),
      JSON.stringify({
        testRunner: 'jest',
        plugins: [join(this.tools.folder, 'node_modules/@stryker-mutator/jest-runner/dist/src/index.js')],
        jest: { projectType: 'custom', configFile: 'jest.mutants.cjs' },
        coverageAnalysis: 'perTest',
        // A mutant of code that runs when a module is loaded would need a run of all tests.
        ignoreStatic: true,
        mutate: ranges.map(({ file, from, to }) => `${file}:${from}-${to}`),
        inPlace: true,
        concurrency: 2,
        reporters: ['json'],
        jsonReporter: { fileName: report },
        allowEmpty: true,
        disableTypeChecks: false,
      }),
    );
    await this.tools.runIn(this.folder, 'stryker', 'run');
    // The form that Stryker documents.
    const { files: tried } = JSON.parse(await readFile(report, 'utf8')) as Report;
    return Object.entries(tried).flatMap(([file, { mutants }]) =>
      mutants.map(({ status, mutatorName, replacement = '', location }) => ({
        ...{ file, line: location.start.line, mutator: mutatorName, replacement },
        isNoticed: NOTICED[status],
      })),
    );
  }

  /** The test files under some folders. Stryker cannot observe those that name an environment of their own. */
  private async testsUnder(begins: readonly string[]): Promise<readonly string[]> {
    const tests: string[] = [];
    for (const file of this.files) {
      if (!file.endsWith('.spec.ts') || !begins.some((begin) => file.startsWith(begin))) continue;
      const text = await readFile(join(this.folder, file), 'utf8');
      if (!text.startsWith('/** @jest-environment')) tests.push(join(this.folder, file));
    }
    return tests;
  }
}
