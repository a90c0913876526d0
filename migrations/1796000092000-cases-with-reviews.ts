import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An open case shows the review that is in force: its owner, and whether its difference is accepted, until when. Indexes have the
 * cases without an acceptance apart from those with one, so that a list reads no accepted cases on its way to open ones; and those
 * that all lists have apart from those that only lists up to a day have. Cases are counted by owner and acceptance too.
 */
export class CasesWithReviews1796000092000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table comparison_cases add column owner text collate "C",
      add column is_accepted boolean not null default false, add column accepted_until timestamptz`);
    await queryRunner.query(`
      update comparison_cases c set owner = r.owner, is_accepted = coalesce(r.accepted_values = c.values_digest, false),
        accepted_until = case when r.accepted_values = c.values_digest then r.accepted_until end
      from case_reviews r where r.customer_id = c.customer_id and r.case_id = c.id and r.valid_until is null`);
    for (const [name, columns, where] of orders) {
      if (name !== 'owner') await queryRunner.query(`drop index ix_comparison_cases_${name}`);
      await queryRunner.query(`create index ix_comparison_cases_${name}
        on comparison_cases (customer_id, (listed_before is null), is_accepted, ${columns}, id) ${where}`);
    }
    await queryRunner.query(`create index ix_comparison_cases_accepted_until
      on comparison_cases (customer_id, accepted_until) where is_accepted and accepted_until is not null`);
    await queryRunner.query(`alter table case_counts drop constraint pk_case_counts,
      add column owner text collate "C" not null default '', add column is_accepted boolean not null default false,
      add column accepted_until timestamptz not null default 'infinity'`);
    await queryRunner.query(`alter table case_counts alter column owner drop default,
      alter column is_accepted drop default, alter column accepted_until drop default`);
    await countBy(queryRunner, [...keys, ...reviewKeys]);
    await queryRunner.query(`
      with reviewed as (
        select c.customer_id, ${keys.map(keyOf).join(', ')}, coalesce(c.owner, '') as owner, c.is_accepted,
          coalesce(c.accepted_until, 'infinity') as accepted_until, count(*)::int as cases
        from comparison_cases c
        where c.listed_before is null and (c.owner is not null or c.is_accepted)
          and exists (select from case_counts n where n.customer_id = c.customer_id)
        group by c.customer_id, ${[...keys, ...reviewKeys].map((_, at) => at + 2).join(', ')}
      )
      insert into case_counts as n (customer_id, ${keys.join(', ')}, ${reviewKeys.join(', ')}, cases)
      select customer_id, ${keys.join(', ')}, ${reviewKeys.join(', ')}, cases from reviewed
      union all
      select customer_id, ${keys.join(', ')}, '', false, 'infinity', -sum(cases) from reviewed
      group by customer_id, ${keys.join(', ')}
      on conflict (customer_id, ${keys.join(', ')}, ${reviewKeys.join(', ')}) do update set cases = n.cases + excluded.cases`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('update comparison_states set counted_until = null');
    await queryRunner.query('delete from case_counts');
    await queryRunner.query(`alter table case_counts drop constraint pk_case_counts,
      drop column accepted_until, drop column is_accepted, drop column owner`);
    await countBy(queryRunner, keys);
    await queryRunner.query('drop index ix_comparison_cases_accepted_until');
    for (const [name, columns, where] of orders) {
      await queryRunner.query(`drop index ix_comparison_cases_${name}`);
      if (name !== 'owner')
        await queryRunner.query(
          `create index ix_comparison_cases_${name} on comparison_cases (customer_id, ${columns}, id) ${where}`,
        );
    }
    await queryRunner.query(
      'alter table comparison_cases drop column accepted_until, drop column is_accepted, drop column owner',
    );
  }
}

const ofOwn = ['field', 'platform', 'left_currency', 'right_currency'] as const;

/** Orders of lists: the name of an index, and its columns. */
const orders: readonly (readonly [name: string, columns: string, where: string])[] = [
  ['age', 'opened_at', ''],
  ['weight', 'weight', ''],
  ['document', 'document_since', ''],
  ['due', 'due_since', ''],
  ['type', 'entity_type, opened_at', ''],
  ['type_document', 'entity_type, document_since', ''],
  ['type_due', 'entity_type, due_since', ''],
  ['kind', 'kind, opened_at', ''],
  ['project', 'project_id, opened_at', 'where project_id is not null'],
  ['owner', 'owner, opened_at', 'where owner is not null'],
  ...ofOwn.map((column) => [column, `${column}, opened_at`, `where ${column} is not null`] as const),
];

/** What cases are counted by. */
const keys = [
  'left_platform',
  'right_platform',
  'kind',
  'entity_type',
  'platform',
  'field',
  'project_id',
  'left_currency',
  'right_currency',
  'opened_hour',
];
const reviewKeys = ['owner', 'is_accepted', 'accepted_until'];

async function countBy(queryRunner: QueryRunner, columns: readonly string[]): Promise<void> {
  await queryRunner.query(
    `alter table case_counts add constraint pk_case_counts primary key (customer_id, ${columns.join(', ')})`,
  );
}

/** SQL for a key of a case. */
function keyOf(key: string): string {
  return key === 'opened_hour'
    ? `date_bin(interval '1 hour', c.opened_at, timestamptz '2000-01-01 00:00:00+00') as opened_hour`
    : `coalesce(c.${key}, '') as ${key}`;
}
