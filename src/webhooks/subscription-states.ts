import { StateMachine } from '../database/state-machine';

/** The states of a subscription to the changes of a live platform. docs/architecture.md draws them. */
export const subscriptionStates = new StateMachine<'verifying' | 'unconfirmed' | 'confirmed'>(
  {
    verifying: 'handshake_until is not null',
    unconfirmed: '(handshake_until is null and not is_confirmed)',
    confirmed: '(handshake_until is null and is_confirmed)',
  },
  {
    verifying: ['verifying', 'unconfirmed', 'confirmed'],
    unconfirmed: ['verifying', 'confirmed'],
    confirmed: ['verifying', 'confirmed'],
  },
);
