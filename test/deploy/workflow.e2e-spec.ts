import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project';
import { yamlDocument } from './yaml-file';

interface Workflow {
  readonly permissions: Record<string, string>;
  readonly jobs: Record<
    string,
    {
      'timeout-minutes': number;
      steps: readonly { uses?: string; run?: string; with?: Record<string, unknown> }[];
    }
  >;
}

// The format itself uses the word `on`, which YAML 1.1 takes for true.
const workflow = yamlDocument<Workflow>('.github/workflows/ci.yml', '1.2');
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

describe('the workflow for GitHub', () => {
  it('runs the same checks as npm test', () => {
    expect(workflow.jobs['checks']?.steps.map(({ run }) => run)).toContain('bash .ci/run');
    expect(existsSync(join(root, '.ci/run'))).toBe(true);
  });

  it('may only read, and every job ends', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
  });

  it('pins what it uses to a commit', () => {
    const used = steps.map(({ uses }) => uses).filter((uses) => uses !== undefined);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((uses) => !/^[\w-]+\/[\w-]+@[\da-f]{40}$/.test(uses))).toEqual([]);
  });
});
