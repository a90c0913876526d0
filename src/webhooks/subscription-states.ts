import { StateMachine } from '../database/state-machine';

/** The states of a subscription to the changes of a live platform. docs/architecture.md draws them. */
export const subscriptionStates = new StateMachine<'verifying' | 'unconfirmed' | 'made'>(
  {
    verifying: 'handshake_until is not null',
    unconfirmed: '(handshake_until is null and not is_made)',
    made: '(handshake_until is null and is_made)',
  },
  {
    verifying: ['verifying', 'unconfirmed', 'made'],
    unconfirmed: ['verifying', 'made'],
    made: ['verifying', 'made'],
  },
);
