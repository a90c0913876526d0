import { StateMachine } from '../database/state-machine';

export type PassthroughState = 'sent' | 'answered' | 'not_sent';

/**
 * The states of a caller's write. A write is `sent` before it leaves the service, and stays `sent` if its answer is
 * lost. docs/architecture.md shows the diagram.
 */
export const passthroughStates = new StateMachine<PassthroughState>(
  { sent: `state = 'sent'`, answered: `state = 'answered'`, not_sent: `state = 'not_sent'` },
  { sent: ['answered', 'not_sent'], answered: [], not_sent: [] },
);
