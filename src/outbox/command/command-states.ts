import { StateMachine } from '../../database/state-machine';
import { commandStatuses, type CommandStatus } from './outbox-command';

const shownBy = Object.fromEntries(
  commandStatuses.map((status) => [status, `status = '${status}'`]),
) as Record<CommandStatus, string>; // The list names every status.

/** The states of a command. docs/write-through.md draws them, and says what each transition means. */
export const commandStates = new StateMachine<CommandStatus>(shownBy, {
  waiting: ['waiting', 'sending', 'applied', 'rejected', 'skipped', 'held'],
  sending: ['waiting', 'uncertain', 'applied', 'unchanged', 'rejected', 'skipped', 'held'],
  uncertain: ['waiting', 'uncertain', 'applied', 'unchanged', 'rejected', 'skipped', 'held'],
  held: ['waiting', 'uncertain', 'applied', 'rejected'],
  skipped: ['waiting'],
  applied: [],
  unchanged: [],
  rejected: [],
});
