import { StateMachine } from '../../database/state-machine';

/** The states of a run. docs/architecture.md draws them. */
export const runStates = new StateMachine<'running' | 'done' | 'failed'>(
  { running: `status = 'running'`, done: `status = 'done'`, failed: `status = 'failed'` },
  { running: ['done', 'failed'], done: [], failed: [] },
);
