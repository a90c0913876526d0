import { StateMachine } from '../database/state-machine';

export type PassthroughState = 'sent' | 'answered' | 'not_sent';

/**
 * The states of a caller's write. `sent` also means that it is about to be sent, and it stays where the answer was lost.
 * docs/architecture.md draws them.
 */
export const passthroughStates = new StateMachine<PassthroughState>(
  { sent: `state = 'sent'`, answered: `state = 'answered'`, not_sent: `state = 'not_sent'` },
  { sent: ['answered', 'not_sent'], answered: [], not_sent: [] },
);
