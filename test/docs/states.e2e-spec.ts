import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StateMachine } from '../../src/database/state-machine';
import { decisionStates } from '../../src/matching/decisions/decision-states';
import { commandStates } from '../../src/outbox/command/command-states';
import { runStates } from '../../src/sync/run/run-states';
import { passthroughStates } from '../../src/passthrough/passthrough-states';
import { signoffStates } from '../../src/reconciliation/signoffs/signoff-states';
import { subscriptionStates } from '../../src/webhooks/subscription-states';

/** The arrows of the state diagram behind a heading of a page, without those from and to the outside. */
function drawn(page: string, heading: string): ReadonlySet<string> {
  const text = readFileSync(join(__dirname, '../../docs', page), 'utf8');
  const [, behind = ''] = text.split(`${heading}\n`);
  const diagram = /```mermaid\nstateDiagram-v2\n([^`]*)```/.exec(behind)?.[1] ?? '';
  return new Set([...diagram.matchAll(/^ {2}(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} ${to}`));
}

describe('the states of rows', () => {
  it.each([
    ['a command', commandStates, 'write-through.md', '## The states of a command'],
    ['a run', runStates, 'architecture.md', '### The states of a run'],
    ['a decision', decisionStates, 'architecture.md', '### The states of a decision'],
    ['a sign-off', signoffStates, 'architecture.md', '### The states of a sign-off'],
    [
      'a request of a caller',
      passthroughStates,
      'architecture.md',
      '### The states of a request of a caller',
    ],
    ['a subscription', subscriptionStates, 'architecture.md', '### The states of a subscription'],
  ] as const)('of %s are those of the diagram', (_name, machine: StateMachine<string>, page, heading) => {
    const known = machine.states.flatMap((from) =>
      (machine.transitions[from] ?? []).map((to) => `${from} ${to}`),
    );
    expect(known.length).toBeGreaterThan(0);
    expect([...drawn(page, heading)].toSorted()).toEqual(known.toSorted());
  });

  it('guard each transition by the states before', () => {
    expect(decisionStates.before('withdrawn')).toBe('(withdrawn_at is null)');
    expect(runStates.before('failed')).toBe(`(status = 'running')`);
    expect(commandStates.before('sending')).toBe(`(status = 'waiting')`);
  });
});
