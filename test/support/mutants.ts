import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { InstalledTools } from './installed-tools';

const ROOT = join(__dirname, '../..');

/** A part of the code whose tests are to notice each change of it. */
export interface MutatedArea {
  readonly name: string;
  /** Beginnings of the paths of its files. */
  readonly code: readonly string[];
  /** Beginnings of the paths of the unit tests that are asked. */
  readonly tests: readonly string[];
}

/** Some lines of a file, from 1, both included. */
export interface LineRange {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** What became of a mutant. */
export interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly mutator: string;
  readonly replacement: string;
  /** Whether a test failed, or did not end; undefined where the mutant could not be tried. */
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

/** A copy of the project in which code is changed and its tests are run. */
export class MutatedProject {
  private constructor(
    private readonly tools: InstalledTools,
    private readonly folder: string,
    /** Paths of all files, from the project's folder. */
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

  /** Tries every mutant of some lines with the unit tests of their area. */
  async tryMutants({ tests }: MutatedArea, ranges: readonly LineRange[]): Promise<readonly Mutant[]> {
    const report = join(this.folder, 'mutants.json');
    const files = await this.testsUnder(tests);
    // Not the environment and the runtime that share modules: each mutant is loaded anew.
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
        // What runs when a module is loaded would take a run of all tests for each mutant.
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
    // As Stryker documents its report.
    const { files: tried } = JSON.parse(await readFile(report, 'utf8')) as Report;
    return Object.entries(tried).flatMap(([file, { mutants }]) =>
      mutants.map(({ status, mutatorName, replacement = '', location }) => ({
        ...{ file, line: location.start.line, mutator: mutatorName, replacement },
        isNoticed: NOTICED[status],
      })),
    );
  }

  /** Files of tests under some folders. Stryker cannot watch those that name an environment of their own. */
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
