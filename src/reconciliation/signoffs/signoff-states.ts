import { StateMachine } from '../../database/state-machine';

/** The states of a sign-off. docs/architecture.md draws them. */
export const signoffStates = new StateMachine<'standing' | 'withdrawn'>(
  { standing: 'withdrawn_at is null', withdrawn: 'withdrawn_at is not null' },
  { standing: ['withdrawn'], withdrawn: [] },
);
