import { ExactNumber, ownMember, type JsonObject } from '@app/mapper';
import { eachAtOnce } from '../wire/at-once';
import { compareIds, idText } from '../wire/ids';
import { listAt, readWhole } from '../wire/list';
import { NotReadable } from '../wire/read-page';
import { contractKinds, ofProject, storedViews } from '../wire/resources';
import type { Query } from '../wire/session';
import { CHUNK, changedWithin, type PartPage, type PartReader } from './part';
import type { Paid, PartState } from './position';
import { CHANGED, paymentRecords } from './records';

/** A contract, and whether its payments are to be read. */
interface Candidate {
  readonly id: string;
  /** What was paid on it, as the platform writes it. */
  readonly paid: string;
  readonly isWanted: boolean;
}

/**
 * Payments stand under their contracts, and their lists know no times. So of changes those of contracts are read that changed
 * themselves, or on which another amount was paid than before: a payment need not move the time of its contract.
 */
export async function* readPayments(
  reader: PartReader,
  from: PartState,
): AsyncGenerator<PartPage, void, undefined> {
  const { session, part: project } = reader;
  const { contracts, gaps } = await contractsOf(reader);
  const [last] = from.done;
  const isBeginning = last === undefined;
  const settled = isBeginning ? contracts.filter(({ isWanted }) => !isWanted) : [];
  if (gaps.length > 0 || settled.length > 0) {
    yield { records: [], state: from, gaps, ...paidOn(reader, settled) };
  }
  const left = contracts.filter(({ id, isWanted }) => isWanted && (isBeginning || compareIds(id, last) > 0));
  for (let at = 0; at < left.length; at += CHUNK) {
    const chunk = left.slice(at, at + CHUNK);
    const read = await eachAtOnce(chunk, ({ id }) => paymentRecords({ session, project }, id));
    yield {
      records: read.flatMap(({ records }) => records),
      state: { step: 0, list: null, done: chunk.slice(-1).map(({ id }) => id) },
      gaps: read.flatMap((one) => one.gaps),
      // A list that could not be read is wanted again.
      ...paidOn(
        reader,
        chunk.filter((_contract, place) => read[place]?.gaps.length === 0),
      ),
    };
  }
}

async function contractsOf(
  reader: PartReader,
): Promise<{ readonly contracts: readonly Candidate[]; readonly gaps: readonly string[] }> {
  const { session, part: project } = reader;
  const query: Query = [
    ...ofProject(project),
    ...(comparesPaid(reader)
      ? storedViews.contracts
      : ([['view', 'compact'], ...changedWithin(reader.changed)] as const)),
  ];
  const contracts: Candidate[] = [];
  const gaps: string[] = [];
  for (const { path, name } of contractKinds) {
    try {
      const { rows, whole } = await readWhole(session, listAt(session, path, query));
      contracts.push(...rows.flatMap((row) => candidateIn(reader, row) ?? []));
      if (!whole) gaps.push(`contract_payments of ${name} (${CHANGED})`);
    } catch (error) {
      if (!(error instanceof NotReadable)) throw error;
      gaps.push(`contract_payments of ${name} (${error.why})`);
    }
  }
  return { contracts: contracts.sort((one, other) => compareIds(one.id, other.id)), gaps };
}

/** Whether all contracts are listed: to learn what was paid on them, or to compare it with what is known. */
function comparesPaid({ since, paid }: PartReader): boolean {
  return since === undefined || paid !== undefined;
}

function candidateIn(reader: PartReader, row: JsonObject): Candidate | undefined {
  const id = idText(ownMember(row, 'id'));
  if (id === undefined) return undefined;
  const total = ownMember(row, 'total_payments');
  const paid = typeof total === 'string' ? total : total instanceof ExactNumber ? total.token : '';
  const { since, paid: before } = reader;
  if (since === undefined || before === undefined) return { id, paid, isWanted: true };
  const changed = ownMember(row, 'updated_at');
  const isLater = typeof changed === 'string' && Date.parse(changed) >= Date.parse(since);
  return { id, paid, isWanted: isLater || before[id] !== paid };
}

function paidOn(reader: PartReader, contracts: readonly Candidate[]): { readonly paid?: Paid } {
  // A list of what changed shows only some of the contracts.
  if (!comparesPaid(reader) || contracts.length === 0) return {};
  return { paid: Object.fromEntries(contracts.map(({ id, paid }) => [id, paid])) };
}
