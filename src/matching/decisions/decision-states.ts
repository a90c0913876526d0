import { StateMachine } from '../../database/state-machine';

/** The states of a decision by people. docs/architecture.md draws them. */
export const decisionStates = new StateMachine<'standing' | 'withdrawn'>(
  { standing: 'withdrawn_at is null', withdrawn: 'withdrawn_at is not null' },
  { standing: ['withdrawn'], withdrawn: [] },
);
