import { stringifyJson } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import type { RequestContext } from '../../runtime/tracing/request-context';
import { causeText } from './command-cause';
import { madeText, type MadeParts } from './made-parts';
import type { FinalStatus, OutboxCommand, StoredCommand } from './outbox-command';
import { changesText } from './stored-changes';

/**
 * Stores commands, in the order in which they are to be sent and with the commit at the latest. One with a final status is
 * kept as history.
 *
 * @param asked the request that asks for the change, and the database's time
 */
export function insertCommands(
  tx: CustomerTransaction,
  commands: readonly OutboxCommand[],
  { request, at }: { readonly request: RequestContext; readonly at: string },
): void {
  // One by one: the order of insertion is the order of sending.
  for (const command of commands) {
    tx.queryLater(
      `insert into outbox_commands (customer_id, id, propagation_id, position, platform, entity_type, canonical_id,
         platform_id, variant, status, reason, changes, base, referred, predicted, recording, decided_at, mode, waits_for,
         cause)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
      [
        command.id,
        command.propagationId,
        command.position,
        command.platform,
        command.entityType,
        command.canonicalId,
        command.platformId,
        command.variant,
        command.status,
        command.reason,
        changesText(command.changes),
        command.base === undefined ? null : stringifyJson(command.base),
        stringifyJson(command.referred),
        stringifyJson(command.predicted),
        JSON.stringify(command.recording),
        command.status === 'waiting' ? null : at,
        command.mode,
        command.waitsFor.length > 0 ? command.waitsFor : null,
        causeText(request),
      ],
    );
  }
}

/** Gives a command what it waited for: the native names of what it refers to. */
export async function complete(
  tx: CustomerTransaction,
  { id, changes, referred, predicted, recording }: StoredCommand,
): Promise<void> {
  await tx.query(
    `update outbox_commands set changes = $3, referred = $4, predicted = $5, recording = $6, waits_for = null
     where customer_id = $1 and id = $2`,
    [id, changesText(changes), stringifyJson(referred), stringifyJson(predicted), JSON.stringify(recording)],
  );
}

/** Gives a command other changes, made for another record, and lets it be sent again at once. */
export async function rebase(
  tx: CustomerTransaction,
  { id, platformId, changes, base, predicted, reason, conflicts, recording }: StoredCommand,
): Promise<void> {
  await tx.query(
    `update outbox_commands set changes = $3, base = $4, predicted = $5, reason = $6, conflicts = $7, recording = $8,
       platform_id = $9, status = 'waiting', not_before = now(), lease_owner = null, lease_until = null
     where customer_id = $1 and id = $2`,
    [
      id,
      changesText(changes),
      base === undefined ? null : stringifyJson(base),
      stringifyJson(predicted),
      reason,
      conflicts,
      JSON.stringify(recording),
      platformId,
    ],
  );
}

/** Keeps what a command has made. */
export async function keepMade(tx: CustomerTransaction, id: string, made: MadeParts): Promise<void> {
  await tx.query('update outbox_commands set made = $3 where customer_id = $1 and id = $2', [
    id,
    madeText(made),
  ]);
}

/** Decides a command for good. */
export async function decide(
  tx: CustomerTransaction,
  id: string,
  status: FinalStatus,
  reason: string | null,
): Promise<void> {
  await tx.query(
    `update outbox_commands set status = $3, reason = $4, decided_at = now(), lease_owner = null, lease_until = null
     where customer_id = $1 and id = $2`,
    [id, status, reason],
  );
}
