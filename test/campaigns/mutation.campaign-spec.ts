// Random lines of the mapper, money, matching, plans, states and statements are changed by Stryker: the unit tests notice nine of ten changes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fc } from '../../libs/mapper/src/testing/property';
import { campaign } from '../support/campaign/campaign';
import { installTools, type InstalledTools } from '../support/installed/installed-tools';
import { MutatedProject, type LineRange, type MutatedArea } from '../support/campaign/mutants';

/** The least share of mutations that the tests must detect. */
const LEAST = 0.9;

/** The number of lines of one file that are mutated before the next file. */
const LINES = 40;

const MAPPER = 'libs/mapper/src/';

const beside = (name: string, folder: string): MutatedArea => ({ name, code: [folder], tests: [folder] });
const mapper = ['mapping', 'json', 'identity', 'canonical-object', 'preview', 'resource', 'platforms'];

const areas: readonly MutatedArea[] = [
  beside('money', 'libs/mapper/src/money/'),
  beside('matching', 'src/matching/'),
  { name: 'plan', code: ['src/propagate/plan/'], tests: ['src/propagate/'] },
  beside('outbox', 'src/outbox/'),
  beside('statement', 'src/reconciliation/'),
  ...mapper.map((folder) => beside('mapper', `${MAPPER}${folder}/`)),
];

/** Code that unit tests do not cover: code that needs the database or HTTP, tables of SQL, and code of tests. */
const notPure =
  /\.(spec|repository|sql|module|controller|service|dto|response)\.ts$|\/testing\/|\/index\.ts$/;

campaign('mutation', (campaign) => {
  let tools: InstalledTools;
  let project: MutatedProject;
  beforeAll(async () => {
    tools = await installTools({ '@stryker-mutator/core': '9.6.1', '@stryker-mutator/jest-runner': '9.6.1' });
    project = await MutatedProject.copy(tools);
  });
  afterAll(() => tools.remove());

  /**
   * A random part of a random file. Property tests cover all of the mapper; other code counts only if it has unit
   * tests beside it.
   */
  function someLines({ code }: MutatedArea): fc.Arbitrary<LineRange> {
    const tested = new Set(project.files.filter((file) => file.endsWith('.spec.ts')));
    const files = project.files.filter(
      (file) =>
        code.some((begin) => file.startsWith(begin)) &&
        !notPure.test(file) &&
        (file.startsWith(MAPPER) || tested.has(file.replace(/\.ts$/, '.spec.ts'))),
    );
    return fc.constantFrom(...files).chain((file) => {
      const lines = readFileSync(join(__dirname, '../..', file), 'utf8').split('\n').length;
      return fc
        .integer({ min: 0, max: Math.ceil(lines / LINES) - 1 })
        .map((part) => ({ file, from: part * LINES + 1, to: (part + 1) * LINES }));
    });
  }

  campaign.part('notice nine of ten changes', async (time) => {
    let place = campaign.seed;
    const tried = new Set<string>();
    for (const seed of time.seeds()) {
      const area = areas[(place += 1) % areas.length];
      if (area === undefined) continue;
      const [lines] = fc.sample(someLines(area), { seed, numRuns: 1 });
      if (lines === undefined || tried.has(JSON.stringify(lines))) continue;
      tried.add(JSON.stringify(lines));
      for (const { file, line, mutator, replacement, isNoticed } of await project.tryMutants(area, [lines])) {
        if (isNoticed === undefined) continue;
        campaign.count('changes');
        campaign.count(`of ${area.name}`);
        if (isNoticed) campaign.count('noticed');
        else process.stdout.write(`Not noticed: ${file}:${line} ${mutator} ${replacement}\n`);
      }
    }
    const share = campaign.counted('noticed') / campaign.counted('changes');
    campaign.count('percent noticed', share * 100);
    expect({ share, isEnough: share >= LEAST }).toEqual({ share, isEnough: true });
  });
});
