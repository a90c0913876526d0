import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { PlatformName, StoredEntityType } from '@app/mapper';
import { IsNull, type Repository } from 'typeorm';
import { ReconciliationDecisionRow } from '../../database/entities/reconciliation-decision.entity';
import { ForbiddenTransition } from '../../database/state-machine';
import type { CustomerTransaction } from '../../database/transaction/store';
import { timeText } from '../../database/transaction/time-text';
import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { Sources } from '../../records/connections/connections.repository';
import { recordsAt } from '../../records/changes/record-versions.repository';
import type { DecisionKind, RecordName } from '../rule/link-constraints';
import { decisionStates } from './decision-states';
import { columns, decisionOf, type DecisionRow, type StoredDecision } from '../rule/stored-decision';

/** Which decisions are listed. */
export interface DecisionFilter {
  readonly status?: 'standing' | 'withdrawn' | undefined;
  readonly entityType?: StoredEntityType | undefined;
  readonly decision?: DecisionKind | undefined;
}

/** A page of a list. */
export interface DecisionPageQuery extends DecisionFilter {
  /** A position: decisions older than this one. */
  readonly before?: { readonly at: string; readonly id: string } | undefined;
  /** A time, in UTC with microseconds: decisions and records as they were then; now unless given. */
  readonly asOf?: string | undefined;
  readonly limit: number;
}

/** A decision with its place in the list. */
export interface ListedDecision {
  readonly decision: StoredDecision;
  /** The time with all its digits: UTC with six decimals of a second. */
  readonly at: string;
  /** The objects of its two records; null where one is not there. */
  readonly objects: readonly [string | null, string | null];
}

/** How many decisions there are of a kind. */
export interface DecisionCount {
  readonly decision: DecisionKind;
  readonly status: 'standing' | 'withdrawn';
  readonly count: number;
}

/** The table of decisions. */
@Injectable()
export class DecisionsRepository {
  constructor(
    @InjectRepository(ReconciliationDecisionRow)
    private readonly rows: Repository<ReconciliationDecisionRow>,
  ) {}

  /** Stores a decision that stands from a time on. */
  async insert(
    tx: CustomerTransaction,
    decision: Omit<StoredDecision, 'decidedAt' | 'withdrawn' | 'isOfFormerRecords'>,
    at: string,
  ): Promise<StoredDecision> {
    const { records, ...values } = decision;
    await this.bound(tx)
      .createQueryBuilder()
      .insert()
      .values({ ...values, ...pairOf(records), customerId: tx.customerId, decidedAt: () => ':at' })
      .setParameters({ at })
      .execute();
    return { ...decision, decidedAt: new Date(at), withdrawn: null, isOfFormerRecords: false };
  }

  /**
   * Ends a decision, and keeps it.
   *
   * @throws ForbiddenTransition when it is withdrawn already
   */
  async withdraw(
    tx: CustomerTransaction,
    decision: StoredDecision,
    { reason, by, at }: { readonly reason: string; readonly by: string; readonly at: string },
  ): Promise<StoredDecision> {
    const { affected } = await this.bound(tx)
      .createQueryBuilder()
      .update({ withdrawnAt: () => ':at', withdrawnReason: reason, withdrawnBy: by })
      .setParameters({ at })
      .where({ customerId: tx.customerId, id: decision.id })
      .andWhere(decisionStates.before('withdrawn'))
      .execute();
    if (affected !== 1) throw new ForbiddenTransition(`Decision ${decision.id}`, 'withdrawn');
    return { ...decision, withdrawn: { reason, by, at: new Date(at) } };
  }

  /**
   * Keeps a decision that the service withdrew from being made again, in the name of a person. It ended when the service withdrew it.
   *
   * @returns undefined if the service would not make it again
   */
  async giveUp(
    tx: CustomerTransaction,
    { id }: StoredDecision,
    { reason, by, at }: { readonly reason: string; readonly by: string; readonly at: string },
  ): Promise<StoredDecision | undefined> {
    const [row] = await tx.query<DecisionRow>(
      `update reconciliation_decisions d set withdrawn_reason = $3, withdrawn_by = $4, renewed_at = $5::timestamptz
       where d.customer_id = $1 and d.id = $2::uuid and d.renewed_at is null and d.source is not null
         and d.other_source is not null
       returning ${columns}`,
      [id, reason, by, at],
    );
    return row && decisionOf(row);
  }

  // SQL, as each row keeps the sources of its own two platforms.
  /** Ends the standing decisions about the records of a platform, and keeps where their records were read from. */
  async withdrawOf(
    tx: CustomerTransaction,
    platform: PlatformName,
    { reason, by, at }: { readonly reason: string; readonly by: string; readonly at: string },
    sources: Sources,
  ): Promise<readonly StoredDecision[]> {
    const rows = await tx.query<DecisionRow>(
      `update reconciliation_decisions d set withdrawn_at = $3::timestamptz, withdrawn_reason = $4, withdrawn_by = $5,
         source = $6::jsonb ->> d.platform, other_source = $6::jsonb ->> d.other_platform
       where d.customer_id = $1 and d.withdrawn_at is null and (d.platform = $2 or d.other_platform = $2)
       returning ${columns}`,
      [platform, at, reason, by, JSON.stringify(sources)],
    );
    return rows.map(decisionOf);
  }

  /** Decisions that {@link withdrawOf} ended and whose records would both be read from where they were, the oldest first. */
  async ofSources(tx: CustomerTransaction, sources: Sources): Promise<readonly StoredDecision[]> {
    const rows = await tx.query<DecisionRow>(
      `select ${columns} from reconciliation_decisions d
       where d.customer_id = $1 and d.renewed_at is null and d.source = $2::jsonb ->> d.platform
         and d.other_source = $2::jsonb ->> d.other_platform
       order by d.decided_at, d.id`,
      [JSON.stringify(sources)],
    );
    return rows.map(decisionOf);
  }

  /** Makes decisions again that {@link withdrawOf} ended, each once. A pair about which a decision stands keeps that one. */
  async renew(
    tx: CustomerTransaction,
    ended: readonly StoredDecision[],
    at: string,
  ): Promise<readonly StoredDecision[]> {
    const ids = ended.map(({ id }) => id);
    const rows = await tx.query<DecisionRow>(
      `insert into reconciliation_decisions as d (customer_id, id, decision, entity_type, platform, platform_id,
         other_platform, other_platform_id, reason, decided_by, decided_at)
       select e.customer_id, renewed.id, e.decision, e.entity_type, e.platform, e.platform_id,
         e.other_platform, e.other_platform_id, e.reason, e.decided_by, $4::timestamptz
       from unnest($2::uuid[], $3::uuid[]) as renewed (ended_id, id)
       join reconciliation_decisions e on e.customer_id = $1 and e.id = renewed.ended_id
       on conflict do nothing
       returning ${columns}`,
      [ids, ids.map(() => randomUUID()), at],
    );
    await tx.query(
      'update reconciliation_decisions set renewed_at = $3::timestamptz where customer_id = $1 and id = any ($2::uuid[])',
      [ids, at],
    );
    return rows.map(decisionOf);
  }

  /** Attributes the records of ended decisions to another source, which is the same company under another address. */
  async renameSource(
    tx: CustomerTransaction,
    platform: PlatformName,
    before: string,
    after: string,
  ): Promise<void> {
    await tx.query(
      'update reconciliation_decisions set source = $4 where customer_id = $1 and platform = $2 and source = $3',
      [platform, before, after],
    );
    await tx.query(
      `update reconciliation_decisions set other_source = $4
       where customer_id = $1 and other_platform = $2 and other_source = $3`,
      [platform, before, after],
    );
  }

  /** A decision by its ID. */
  async find(tx: CustomerTransaction, id: string): Promise<StoredDecision | undefined> {
    const row = await this.bound(tx).findOneBy({ customerId: tx.customerId, id });
    return row === null ? undefined : decisionOf(row);
  }

  /** The standing decision about a pair of records. */
  async findStanding(
    tx: CustomerTransaction,
    entityType: StoredEntityType,
    records: StoredDecision['records'],
  ): Promise<StoredDecision | undefined> {
    const pair = { customerId: tx.customerId, entityType, ...pairOf(records) };
    const row = await this.bound(tx).findOneBy({ ...pair, withdrawnAt: IsNull() });
    return row === null ? undefined : decisionOf(row);
  }

  // Pages stay SQL: each is one round trip, and names the objects of its records at a time.
  /** Reads a page of decisions, the latest first. */
  async page(
    unitOfWork: Pick<UnitOfWork, 'read'>,
    customerId: string,
    { before, limit, asOf, ...filter }: DecisionPageQuery,
  ): Promise<readonly ListedDecision[]> {
    const parameters: unknown[] = [customerId, limit];
    const given = (value: unknown): string => `$${parameters.push(value)}`;
    const at = asOf === undefined ? undefined : given(asOf);
    const conditions = [
      ...conditionsOf(filter, given),
      ...(before === undefined
        ? []
        : [`(d.decided_at, d.id) < (${given(before.at)}::timestamptz, ${given(before.id)}::uuid)`]),
    ];
    const rows = await unitOfWork.read<
      DecisionRow & { readonly at: string; readonly object: string | null; readonly other: string | null }
    >(
      `select ${columns}, ${timeText('d.decided_at')} as at, ${objectOf('d.platform', 'd.platform_id', at)} as object,
          ${objectOf('d.other_platform', 'd.other_platform_id', at)} as other
        from ${decisionsOf(at)} d
        where ${conditions.join(' and ')} order by d.decided_at desc, d.id desc limit $2`,
      parameters,
      { customerId },
    );
    return rows.map((row) => ({ decision: decisionOf(row), at: row.at, objects: [row.object, row.other] }));
  }

  /** The number of decisions at a time, by their content and whether they stood. */
  async count(
    tx: CustomerTransaction,
    filter: DecisionFilter,
    asOf: string,
  ): Promise<readonly DecisionCount[]> {
    const parameters: unknown[] = [asOf];
    const conditions = conditionsOf(filter, (value) => `$${parameters.push(value) + 1}`);
    const [row] = await tx.query<{ counts: readonly DecisionCount[] | null }>(
      `select (
         select json_agg(c order by c.decision, c.status) from (
           select d.decision, case when d.withdrawn_at is null then 'standing' else 'withdrawn' end as status,
             count(*)::int as count
           from ${decisionsOf('$2')} d where ${conditions.join(' and ')} group by 1, 2
         ) c) as counts`,
      parameters,
    );
    return row?.counts ?? [];
  }

  private bound(tx: CustomerTransaction): Repository<ReconciliationDecisionRow> {
    return tx.store.manager.withRepository(this.rows);
  }
}

type Pair = Pick<DecisionRow, 'platform' | 'platformId' | 'otherPlatform' | 'otherPlatformId'>;

function pairOf([one, other]: readonly [RecordName, RecordName]): Pair {
  return {
    platform: one.platform,
    platformId: one.platformId,
    otherPlatform: other.platform,
    otherPlatformId: other.platformId,
  };
}

function conditionsOf(
  { status, entityType, decision }: DecisionFilter,
  given: (value: unknown) => string,
): readonly string[] {
  return [
    'd.customer_id = $1',
    ...(status === undefined ? [] : [`d.${decisionStates.shownBy[status]}`]),
    ...(entityType === undefined ? [] : [`d.entity_type = ${given(entityType)}`]),
    ...(decision === undefined ? [] : [`d.decision = ${given(decision)}`]),
  ];
}

/** @param at the parameter that holds a time: decisions as they stood then */
function decisionsOf(at: string | undefined): string {
  if (at === undefined) return 'reconciliation_decisions';
  const then = (column: string): string =>
    `case when n.withdrawn_at <= ${at}::timestamptz then n.${column} end as ${column}`;
  return `(
    select n.customer_id, n.id, n.decision, n.entity_type, n.platform, n.platform_id, n.other_platform, n.other_platform_id,
      n.reason, n.decided_by, n.decided_at, ${then('withdrawn_at')}, ${then('withdrawn_reason')}, ${then('withdrawn_by')},
      ${then('source')}, ${then('other_source')}, ${then('renewed_at')}
    from reconciliation_decisions n where n.customer_id = $1 and n.decided_at <= ${at}::timestamptz
  )`;
}

// A decision with sources ended with its records: one that has the native ID by now may be that of another source.
function objectOf(platform: string, platformId: string, at: string | undefined): string {
  const records = at === undefined ? 'platform_records' : recordsAt(at);
  return `(
    select r.canonical_id from ${records} r where r.customer_id = $1 and r.platform = ${platform}
      and r.entity_type = d.entity_type and r.platform_id = ${platformId} and d.source is null and d.other_source is null)`;
}
