import { assembleObject } from '@app/mapper';
import type { Store } from '../../database/store';
import type { CommandStatus, StoredCommand } from '../../outbox/outbox-command';
import { commandsOf } from '../../outbox/outbox.repository';
import { loadObjects } from '../../records/stored-objects';
import type { Answerable } from '../answer';
import type { ChangeContext } from '../plan/change-context';
import type { ChangePlan } from '../plan/change-plan';
import {
  updatedFields,
  type ChangeResult,
  type OutcomeStatus,
  type PlatformOutcome,
} from '../plan/change-result';

const statuses: Readonly<Record<CommandStatus, OutcomeStatus>> = {
  waiting: 'pending',
  sending: 'pending',
  uncertain: 'uncertain',
  applied: 'applied',
  unchanged: 'unchanged',
  rejected: 'rejected',
  skipped: 'skipped',
  held: 'held',
};

/** The present outcome of a change that has writes in the outbox. */
export async function outcomesNow(
  store: Store,
  customerId: string,
  context: ChangeContext,
  { change }: ChangePlan,
  accepted: ChangeResult,
  propagationId: string,
): Promise<Answerable> {
  const commands = await commandsOf(store, customerId, propagationId);
  const [object] = await loadObjects(store, customerId, [context.object.id]);
  // The object may have become an alias meanwhile: then what was accepted is all there is to say.
  const after = object ?? accepted.after;
  const outcomes = accepted.outcomes.map((outcome): PlatformOutcome => {
    const copy = after.copies.find(({ platform }) => platform === outcome.platform);
    const command = commands.find(({ platform }) => platform === outcome.platform);
    return command === undefined ? { ...outcome, copy } : { ...outcome, copy, ...decided(outcome, command) };
  });
  const assembled = assembleObject(after, context.quotes.customer).object;
  return { outcomes, object: assembled, updatedFields: updatedFields(context, change, assembled) };
}

function decided(
  outcome: PlatformOutcome,
  command: StoredCommand,
): Pick<PlatformOutcome, 'status' | 'reason' | 'conversions' | 'written'> {
  const status = statuses[command.status];
  const counts = status === 'applied' || status === 'pending' || status === 'uncertain';
  return {
    status,
    reason: command.reason ?? outcome.reason,
    conversions: counts ? outcome.conversions : [],
    written: counts ? outcome.written : [],
  };
}
