import { randomUUID } from 'node:crypto';
import { stringifyJson, type JsonObject } from '@app/mapper';
import type { CustomerTransaction } from '../../../database/transaction/store';
import { readableMembers } from '../../../database/transaction/json-members';
import { timeText } from '../../../database/transaction/time-text';
import { noteSelectedEvents } from '../../../records/events/events.repository';

/** SQL for the facts of a case as a relation `facts`, which reads its detail once. */
const factsOf = (alias: string): string =>
  `cross join lateral json_to_record((${readableMembers(`${alias}.detail`)}) -> 'facts') as facts (label json, amounts json)`;

/** SQL for what an event shows of a case, beside {@link factsOf} it. */
const caseData = (alias: string): string => `json_build_object(
    'case_id', ${alias}.id, 'kind', ${alias}.kind, 'entity_type', ${alias}.entity_type, 'canonical_id', ${alias}.object_id,
    'label', facts.label, 'platforms', json_build_array(${alias}.left_platform, ${alias}.right_platform),
    'platform', ${alias}.platform, 'field', ${alias}.field, 'project_id', ${alias}.project_id,
    'amounts', facts.amounts, 'document_date', ${alias}.document_date,
    'due_date', ${alias}.due_date, 'opened_at', ${timeText(`${alias}.opened_at`)})`;

/** The place of the first closed case; opened ones come before it. */
const CLOSED = 1_000_000_000;

const marks = `
  select f.mark, coalesce((
    select max(m.mark) from comparison_marks m where m.customer_id = $1 and m.mark < f.mark), '-infinity') as before
  from (select max(l.mark) as mark from comparison_marks l where l.customer_id = $1) f`;

// A case that only lists with a cut-off day have gets no events.
const opened = `
  with marked as materialized (${marks})
  select m.mark, $2::uuid, row_number() over (order by c.id)::integer, 'case.opened', c.entity_type, c.object_id, ${caseData('c')}
  from marked m join comparison_cases c on c.customer_id = $1 and c.valid_from > m.before and c.listed_before is null
  ${factsOf('c')}
  where not exists (
    select from case_versions v where v.customer_id = $1 and v.id = c.id and v.valid_from <= m.before
      and v.valid_until > m.before and v.listed_before is null)`;

// The last version of a case that stood at the previous mark and has no successor. People may have accepted the case
// after that mark, until the refresh stored its end and thereby ended the acceptance. Then the event that the case
// closed comes after the event of the acceptance.
const closed = `
  with marked as materialized (${marks}),
  gone as materialized (
    select distinct on (v.id) v.* from marked m
    join case_versions v on v.customer_id = $1 and v.valid_until > m.before and v.closed_at is not null
    where not exists (select from comparison_cases o where o.customer_id = $1 and o.id = v.id and o.listed_before is null)
    order by v.id, v.valid_until desc
  )
  select greatest(m.mark, (
      select max(r.valid_from) from case_reviews r
      where r.customer_id = $1 and r.case_id = g.id and r.ended_by = 'closed')), $2::uuid, ${CLOSED} + row_number() over (order by g.id)::integer, 'case.closed', g.entity_type, g.object_id,
    (${caseData('g')}::jsonb || jsonb_build_object('closed_at', ${timeText('g.closed_at')},
      'closed_by', g.closed_by, 'closed_by_id', g.closed_by_id))::json
  from marked m cross join gone g ${factsOf('g')}
  where exists (
    select from case_versions v where v.customer_id = $1 and v.id = g.id and v.valid_from <= m.before
      and v.valid_until > m.before and v.listed_before is null)`;

/**
 * Stores the events of the cases that were opened and closed between the previous finished refresh and this one, in the
 * transaction that stores the mark of this refresh. A case that one page of the refresh ends and another page makes
 * again was never closed.
 */
export function noteCaseEvents(tx: CustomerTransaction): void {
  const causeId = randomUUID();
  for (const selection of [opened, closed]) noteSelectedEvents(tx, selection, [causeId]);
}

const untold = `
  select c.id from comparison_cases c
  cross join (
    select coalesce(max(l.mark), '-infinity') as mark from comparison_marks l where l.customer_id = $1
  ) m
  where c.customer_id = $1 and c.id = any ($2::text[]) and c.valid_from > m.mark and c.listed_before is null
    and not exists (
      select from case_versions v where v.customer_id = $1 and v.id = c.id and v.valid_from <= m.mark
        and v.valid_until > m.mark and v.listed_before is null)`;

/**
 * Among the given cases, the open ones whose opening event is not stored yet: a refresh that is not finished has stored
 * the cases. The caller's transaction keeps refreshes from writing.
 */
export async function casesUntold(
  tx: CustomerTransaction,
  ids: readonly string[],
): Promise<readonly string[]> {
  return (await tx.query<{ id: string }>(untold, [ids])).map(({ id }) => id);
}

/** An acceptance of a case's difference. */
export interface AcceptedCase {
  readonly caseId: string;
  readonly accepted: JsonObject;
}

// A case that only lists with a cut-off day have gets no events of its opening and closing, so none of its acceptance.
const accepted = `
  select $2::timestamptz, $3::uuid, n.place::integer, 'case.accepted', c.entity_type, c.object_id,
    (${caseData('c')}::jsonb || n.accepted::jsonb)::json
  from unnest($4::text[], $5::text[]) with ordinality n (id, accepted, place)
  join comparison_cases c on c.customer_id = $1 and c.id = n.id and c.listed_before is null ${factsOf('c')}`;

/** Notes that people have accepted the differences of open cases, at the latest with the next statement. */
export function noteAcceptedCases(
  tx: CustomerTransaction,
  cause: { readonly id: string; readonly at: string },
  cases: readonly AcceptedCase[],
): void {
  if (cases.length === 0) return;
  noteSelectedEvents(tx, accepted, [
    cause.at,
    cause.id,
    cases.map(({ caseId }) => caseId),
    cases.map((one) => stringifyJson({ accepted: one.accepted })),
  ]);
}
