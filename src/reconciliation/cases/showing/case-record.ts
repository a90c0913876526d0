import type { PlatformName } from '@app/mapper';
import type { AddressedRecord } from '../../../platforms/connector';
import { DAY_MS } from '../../statement/figures/ages';
import { moneySum } from '../../statement/statement-record';
import type { CaseAcceptance, CaseClosedBy } from '../case-event.response';
import { isAccepted, type Acceptance, type Review } from '../../annotations/review';
import type { CaseResponse } from '../case-by-kind.response';
import type { CaseAmount, CaseFacets, CommonCase, FacetCount } from '../cases.response';
import type { CaseRow } from '../listing/case-row';
import { caseDetailFrom, type CaseDetail } from './case-detail';
import { ofKind } from './case-of-kind';
import type { CaseFacts } from './case-facts';
import type { StoredReason } from '../../../terms/agreements/term-reason';
import type { Closing } from './closing-causes.repository';
import type { NamedObject } from '../../../records/objects/object-names.repository';
import { shortLabel } from '../../comparisons/making/short-label';
import { settlementOf, type SettlingTerms } from './settlement';

/** Computes the address of a record in its platform's API; undefined if the known facts do not suffice. */
export type AddressOf = (record: AddressedRecord) => string | undefined;

/** The facts with which a case is shown, besides its row. */
export interface CaseContext {
  /** The moment from which its age is computed, in milliseconds. */
  readonly asOf: number;
  /** The moment for which reviews count, as text: UTC with microseconds. */
  readonly time: string;
  /** Of differences and converted amounts, for a case that does not say its own. */
  readonly currency: string;
  /** The containing list: the cases of a project, or all; undefined for a single case. */
  readonly list: 'project' | 'all' | undefined;
  /** In force at that moment. */
  readonly review: Review;
  /** Of projects and companies, by canonical ID. */
  readonly names: ReadonlyMap<string, NamedObject>;
  /** Of live connections. */
  readonly addresses: ReadonlyMap<PlatformName, AddressOf>;
  /** Whether a case is of a time when the platform was read from another source than that to which the addresses lead. */
  readonly isElsewhere: (row: Pick<CaseRow, 'closed_at'>, platform: PlatformName) => boolean;
  readonly settling: SettlingTerms;
  readonly reasonOf: (closing: Closing) => StoredReason;
}

/** A row of a case, and what its detail holds. */
export interface ReadCase {
  readonly row: CaseRow;
  readonly shown: CaseDetail;
  readonly facts: CaseFacts;
}

/** Reads the detail of a case once. */
export function readCase(row: CaseRow): ReadCase {
  return { row, ...caseDetailFrom(row.detail) };
}

/** A case in its public form. Pure. */
export function caseFrom(one: ReadCase, context: CaseContext): CaseResponse {
  const { row, shown, facts } = one;
  const { asOf, time, list, review, names } = context;
  const currency = facts.currency ?? context.currency;
  const [openedAt, agedAt] = [Number(row.opened) / 1000, Number(row.aged) / 1000];
  const { owner, acceptance } = review;
  const [project, company] = [row.project_id, facts.counterparty].map((id) =>
    id === null ? undefined : names.get(id),
  );
  const accepted =
    row.closed_at === null && isAccepted(acceptance, row.values_digest, time) ? acceptance : null;
  // Records of two projects are only compared in a statement of all projects.
  const counts =
    list === undefined ||
    shown.projects === undefined ||
    (list === 'project') === (row.kind === 'other_project');
  const common: Omit<CommonCase, 'records' | 'candidates'> & Pick<CaseRow, 'kind' | 'platform' | 'field'> = {
    id: row.id,
    version: row.values_digest,
    kind: row.kind,
    entity_type: row.entity_type,
    canonical_id: row.object_id,
    label: facts.label,
    counterparty: nameOf(company),
    project_id: row.project_id,
    project: row.project_id === null ? null : { id: row.project_id, name: nameOf(project) },
    platform: row.platform,
    field: row.field,
    difference: row.difference === null || !counts ? null : moneySum(BigInt(row.difference), currency),
    opened_at: new Date(openedAt).toISOString(),
    age_days: Math.max(0, Math.floor((asOf - agedAt) / DAY_MS)),
    document_date: row.document_date,
    due_date: row.due_date,
    state: row.closed_at !== null ? 'closed' : accepted === null ? 'open' : 'accepted',
    closed_at: row.closed_at,
    closed_by: closedByFrom(row, context.reasonOf),
    owner,
    accepted: accepted && acceptanceShown(accepted),
    ...byPlatform(one, currency, context),
    settlement: settlementOf(
      {
        kind: row.kind,
        entityType: row.entity_type,
        left: row.left_platform,
        right: row.right_platform,
        platform: row.platform,
        field: row.field,
        missingOn: shown.missing_on,
        isClosed: row.closed_at !== null,
        problem: shown.problem,
        facts,
        parents: { project_id: project, customer_id: company },
      },
      context.settling,
    ),
  };
  return { ...common, ...ofKind(row, shown), records: shown.records, candidates: shown.candidates };
}

function nameOf(object: NamedObject | undefined): string | null {
  const name = object?.name ?? null;
  return name === null ? null : shortLabel(name);
}

/** Amounts and addresses by platform of the case; null if there is none. */
function byPlatform(
  { row, shown, facts }: ReadCase,
  currency: string,
  { addresses, isElsewhere }: CaseContext,
): Pick<CommonCase, 'amounts' | 'links'> {
  const amounts: Partial<Record<PlatformName, CaseAmount | null>> = {};
  const links: Partial<Record<PlatformName, string | null>> = {};
  for (const platform of new Set([row.left_platform, row.right_platform])) {
    const amount = facts.amounts[platform];
    amounts[platform] = amount === undefined ? null : amountShown(amount, currency);
    const record = shown.records.find((one) => one.platform === platform);
    const place = isElsewhere(row, platform) ? undefined : facts.places[platform];
    links[platform] =
      (record &&
        place &&
        addresses.get(platform)?.({
          entityType: row.entity_type,
          platformId: record.platform_id,
          ...place,
        })) ??
      null;
  }
  return { amounts, links };
}

function amountShown(
  { native, converted }: NonNullable<CaseFacts['amounts'][PlatformName]>,
  currency: string,
): CaseAmount {
  return { native, converted: converted === null ? null : moneySum(converted, currency) };
}

/** What closed a case, as its row and its history have it. */
type ClosedPeriod = Pick<CaseRow, 'closed_at' | 'closed_by' | 'closed_by_id'>;

/** The change that closed a case; nothing for an open case, and where the change is not known. */
export function closingOf({
  closed_at: at,
  closed_by: by,
  closed_by_id: id,
}: ClosedPeriod): readonly Closing[] {
  return at === null || by === null || id === null ? [] : [{ at, by, id }];
}

/** What closed a case in its public form; null while it is open, and where the change is not known. */
export function closedByFrom(period: ClosedPeriod, reasonOf: CaseContext['reasonOf']): CaseClosedBy | null {
  const { closed_by: type, closed_by_id: id } = period;
  if (type === null) return null;
  const [closing] = closingOf(period);
  const { reason, decidedBy } = closing === undefined ? { reason: null, decidedBy: null } : reasonOf(closing);
  return { type, id, reason, decided_by: decidedBy };
}

/** An acceptance in its public form. */
export function acceptanceShown({ reason, decidedBy, at, until }: Acceptance): CaseAcceptance {
  return { reason, decided_by: decidedBy, at, until };
}

/** Counts of cases as they are answered. */
export function facetsFrom(
  rows: readonly { readonly facet: string; readonly value: string; readonly count: number }[],
): CaseFacets {
  const of = (facet: string): readonly FacetCount[] =>
    rows.filter((row) => row.facet === facet).map(({ value, count }) => ({ value, count }));
  return {
    kind: of('kind'),
    entity_type: of('entity_type'),
    field: of('field'),
    project_id: of('project_id'),
    age: of('age'),
    state: of('state'),
    owner: of('owner'),
    total: of('total')[0]?.count ?? 0,
  };
}
