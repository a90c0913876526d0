import { isJsonObject, ownMember, parseJsonText, type JsonObject } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { timeText } from '../../database/transaction/time-text';
import type { OperatorAction } from '../../outbox/operator/operator-decisions.repository';
import type { ShownDecision } from '../../outbox/operator/shown-decision';
import { leftIn, type LeftField } from '../../outbox/command/left-field';

/** The present outcome of a propagation on one platform. */
export interface OutcomeNow {
  readonly status: string;
  /** Whether the propagation creates the record. */
  readonly created?: true;
  readonly reason?: string;
  readonly left?: readonly LeftField[];
  /** By native path: the platform's values before the write, and after it. */
  readonly before?: JsonObject;
  readonly after?: JsonObject;
  /** Currency of the amounts after the write. */
  readonly currency?: string;
  /** What people decided about the write, oldest first. */
  readonly decisions?: readonly ShownDecision[];
}

/** The present outcomes of propagations: by ID of the propagation, then by platform. */
export type Outcomes = ReadonlyMap<string, Readonly<Record<string, OutcomeNow>>>;

// The same condition as `createsRecord` in outbox-command.ts.
const creates = `c.base is null and c.status not in ('held', 'rejected', 'skipped')`;

const decided = `(
  select json_agg(json_build_array(d.action, d.reason, d.decided_by, ${timeText('d.made_at')}) order by d.made_at)
  from outbox_decisions d where d.customer_id = $1 and d.command_id = c.id)`;

const outcomesOf = `
  select p.id, p.outcome::text as outcome, (
    select json_agg(json_build_array(c.platform, c.status, c.reason, ${creates}, ${decided}) order by c.position)::text from outbox_commands c
    where c.customer_id = $1 and c.propagation_id = p.id
  ) as commands
  from propagations p where p.customer_id = $1 and p.id = any ($2::uuid[])`;

/** The outcomes of propagations, by ID; of those that are kept no more there are none. */
export async function outcomesNow(
  tx: CustomerTransaction,
  propagationIds: readonly string[],
): Promise<Outcomes> {
  if (propagationIds.length === 0) return new Map();
  const rows = await tx.query<{ id: string; outcome: string; commands: string | null }>(outcomesOf, [
    propagationIds,
  ]);
  return new Map(rows.map(({ id, outcome, commands }) => [id, outcomeFrom(outcome, commands)]));
}

// The status of an open command is newer than the outcome that was stored when the change was accepted.
const openStatuses: Readonly<Record<string, string>> = { waiting: 'pending', sending: 'pending' };

type CommandNow = readonly [
  platform: string,
  status: string,
  reason: string | null,
  created: boolean,
  decisions:
    | readonly (readonly [action: OperatorAction, reason: string, decidedBy: string | null, at: string])[]
    | null,
];

function outcomeFrom(outcome: string, commands: string | null): Readonly<Record<string, OutcomeNow>> {
  const kept = parseJsonText(outcome);
  const found: Record<string, OutcomeNow> = {};
  for (const [platform, one] of Object.entries(isJsonObject(kept) ? kept : {})) {
    if (!isJsonObject(one)) continue;
    found[platform] = outcomeNow({
      status: ownMember(one, 'status'),
      reason: ownMember(one, 'reason'),
      created: ownMember(one, 'created') === true,
      left: leftIn(one),
      values: valuesIn(one),
    });
  }
  const rows = commands === null ? [] : (JSON.parse(commands) as CommandNow[]); // Made by the statement.
  for (const [platform, status, reason, created, decisions] of rows)
    found[platform] = outcomeNow({
      status: openStatuses[status] ?? status,
      reason,
      created,
      left: found[platform]?.left ?? [],
      values: found[platform] ?? {},
      decisions: (decisions ?? []).map(([action, why, decidedBy, at]) => ({
        action,
        reason: why,
        ...(decidedBy !== null && { decided_by: decidedBy }),
        made_at: at,
      })),
    });
  return found;
}

type NativeValues = Pick<OutcomeNow, 'before' | 'after' | 'currency'>;

function valuesIn(outcome: JsonObject): NativeValues {
  const [before, after, currency] = ['before', 'after', 'currency'].map((name) => ownMember(outcome, name));
  return {
    ...(isJsonObject(before) && { before }),
    ...(isJsonObject(after) && { after }),
    ...(typeof currency === 'string' && { currency }),
  };
}

function outcomeNow({
  status,
  reason,
  created,
  left,
  values: { before, after, currency },
  decisions = [],
}: {
  readonly status: unknown;
  readonly reason: unknown;
  readonly created: boolean;
  readonly left: readonly LeftField[];
  readonly values: NativeValues;
  readonly decisions?: readonly ShownDecision[];
}): OutcomeNow {
  return {
    status: String(status),
    ...(created && { created }),
    ...(typeof reason === 'string' && { reason }),
    ...(left.length > 0 && { left }),
    ...(status === 'applied' && {
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
      ...(currency !== undefined && { currency }),
    }),
    ...(decisions.length > 0 && { decisions }),
  };
}
