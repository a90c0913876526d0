import { Readable } from 'node:stream';
import { Command } from 'commander';
import type { ListedDecision } from '../../matching/decisions/decisions.repository';
import type { CaseResponse } from '../../reconciliation/cases/case-by-kind.response';
import type { Access, Operator } from '../operator';
import { outputTo } from '../output';
import { addReconciliation } from './reconciliation.commands';

const customer = '8b0f2c1e-7f0d-4d52-9d6b-6f6c2a9f4a11';
const unreadable = (platform_id: string): CaseResponse => ({
  id: `case_${platform_id}`,
  version: null,
  kind: 'unreadable',
  entity_type: 'payment',
  canonical_id: 'pay_1',
  label: 'CHK-1',
  counterparty: null,
  project_id: null,
  project: null,
  platform: 'platform_a',
  field: 'amount',
  records: [{ platform: 'platform_a', platform_id }],
  difference: null,
  opened_at: '2026-11-22T00:00:00.000Z',
  age_days: 0,
  document_date: null,
  due_date: null,
  state: 'open',
  closed_at: null,
  closed_by: null,
  owner: null,
  accepted: null,
  amounts: { platform_a: null },
  links: { platform_a: null },
  settlement: { by: 'propagate', field: 'amount', writable: { platform_a: true } },
  candidates: [],
  problem: 'no amount',
});

/** Runs the command on these pages: what it printed in the end, and what was printed when each page was asked for. */
async function list(pages: readonly (readonly CaseResponse[])[], ...options: string[]) {
  let printed = '';
  const before: string[] = [];
  async function* read(): AsyncGenerator<readonly CaseResponse[]> {
    for (const page of pages) {
      before.push(printed);
      yield await Promise.resolve(page);
    }
  }
  // The command works with this part alone.
  const operator = { reconciliation: { list: read } } as unknown as Operator;
  const access: Access = {
    operate: (work) => work(operator),
    reach: () => Promise.reject(new Error()),
    input: Readable.from([]),
  };
  const root = new Command('cli');
  addReconciliation(
    root,
    access,
    outputTo(
      (text) => (printed += text),
      () => undefined,
    ),
  );
  await root.parseAsync(['reconciliation', 'list', '--customer', customer, ...options], { from: 'user' });
  return { printed, before };
}

describe('reconciliation list', () => {
  it('prints one JSON document, each page before it reads the next', async () => {
    const { printed, before } = await list(
      [[], [unreadable('1'), unreadable('2')], [], [unreadable('3')]],
      '--json',
    );
    expect(printed).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(printed)).toEqual({
      customer_id: customer,
      cases: [unreadable('1'), unreadable('2'), unreadable('3')],
    });
    expect(before[2]).toContain('"platform_id":"2"');
  });

  it('prints a table with one head, each page before it reads the next', async () => {
    const { printed, before } = await list([[], [unreadable('1')], [unreadable('2')]]);
    expect(printed.match(/^kind/gm)).toHaveLength(1);
    expect(printed.trimEnd().split('\n')).toHaveLength(3);
    expect(before[2]).toContain('unreadable');
  });

  it('prints a list or a head without findings', async () => {
    expect(JSON.parse((await list([[]], '--json')).printed)).toEqual({ customer_id: customer, cases: [] });
    expect((await list([[]])).printed).toMatch(/^kind +entity_type .*\n$/);
  });
});

describe('reconciliation decisions', () => {
  const decisionId = '5b0a2c1e-8f4d-4c59-9a53-0c1d6b7e2f10';
  const decision: ListedDecision = {
    at: '',
    objects: [null, null],
    decision: {
      id: decisionId,
      decision: 'not_same',
      entityType: 'payment',
      records: [
        { platform: 'platform_a', platformId: '1' },
        { platform: 'platform_b', platformId: 'b1' },
      ],
      reason: 'Two payments',
      decidedBy: 'Kim',
      decidedAt: new Date('2026-01-05T08:00:00Z'),
      withdrawn: null,
      isOfFormerRecords: false,
    },
  };

  async function printed(...options: string[]): Promise<string> {
    let text = '';
    async function* pages(): AsyncGenerator<readonly ListedDecision[]> {
      yield await Promise.resolve([decision]);
    }
    // The command works with this part alone.
    const operator = { decisions: { list: pages } } as unknown as Operator;
    const access: Access = {
      operate: (work) => work(operator),
      reach: () => Promise.reject(new Error()),
      input: Readable.from([]),
    };
    const root = new Command('cli');
    addReconciliation(
      root,
      access,
      outputTo(
        (more) => (text += more),
        () => undefined,
      ),
    );
    await root.parseAsync(['reconciliation', 'decisions', '--customer', customer, ...options], {
      from: 'user',
    });
    return text;
  }

  it('prints them as JSON or as a table', async () => {
    expect(JSON.parse(await printed('--json'))).toEqual({
      customer_id: customer,
      decisions: [
        {
          id: decisionId,
          status: 'standing',
          decision: 'not_same',
          entity_type: 'payment',
          record: 'platform_a 1',
          other_record: 'platform_b b1',
          decided_by: 'Kim',
          decided_at: '2026-01-05T08:00:00.000Z',
          reason: 'Two payments',
        },
      ],
    });
    expect(await printed()).toMatch(/^id +status .*\n.*standing +not_same .*platform_b b1/);
  });
});
