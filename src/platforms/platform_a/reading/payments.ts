import { eachAtOnce } from '../wire/at-once';
import { compareIds } from '../wire/ids';
import { listAt, readWhole } from '../wire/list';
import { CHANGED, NotReadable } from '../wire/read-page';
import { contractKinds, ofProject, storedViews } from '../wire/resources';
import type { Query } from '../wire/session';
import { comparesMarks, hasChangedMark, marksOf } from './contract-mark';
import { CHUNK, changedWithin, type PartPage, type PartReader } from './part';
import type { ContractMarks, PartState } from './position';
import { paymentRecords } from './records';

/**
 * Payments belong to contracts, and their lists have no filter by time. A reading of changes therefore reads the
 * payments of contracts that changed or whose amounts differ from before, because a payment need not change its
 * contract's timestamp.
 */
export async function* readPayments(
  reader: PartReader,
  from: PartState,
): AsyncGenerator<PartPage, void, undefined> {
  const { session, part: project } = reader;
  const { contracts, gaps } = await contractsOf(reader);
  const ids = Object.keys(contracts).sort(compareIds);
  const isWanted = (id: string): boolean => hasChangedMark(reader, id, contracts[id] ?? '');
  const marksAmong = (chosen: readonly string[]): Pick<PartPage, 'marks'> =>
    // A list of changes contains only some of the contracts.
    comparesMarks(reader) ? { marks: Object.fromEntries(chosen.map((id) => [id, contracts[id] ?? ''])) } : {};
  const [last] = from.done;
  const isBeginning = last === undefined;
  const settled = isBeginning ? ids.filter((id) => !isWanted(id)) : [];
  // Of a project without contracts the marks are known too. Otherwise the payments of its first contracts would be read
  // again and again.
  if (gaps.length > 0 || settled.length > 0 || ids.length === 0) {
    yield { records: [], state: from, gaps, ...marksAmong(settled) };
  }
  const left = ids.filter((id) => isWanted(id) && (isBeginning || compareIds(id, last) > 0));
  for (let at = 0; at < left.length; at += CHUNK) {
    const chunk = left.slice(at, at + CHUNK);
    const read = await eachAtOnce(chunk, (id) => paymentRecords({ session, project }, id));
    yield {
      records: read.flatMap(({ records }) => records),
      state: { step: 0, list: null, done: chunk.slice(-1) },
      gaps: read.flatMap((one) => one.gaps),
      // A list that could not be read must be read again.
      ...marksAmong(chunk.filter((_id, place) => read[place]?.gaps.length === 0)),
    };
  }
}

/**
 * The contracts whose payments may be wanted. They are listed only if the same run has not read all of them already.
 */
async function contractsOf(
  reader: PartReader,
): Promise<{ readonly contracts: ContractMarks; readonly gaps: readonly string[] }> {
  if (reader.contracts !== undefined) return { contracts: reader.contracts, gaps: [] };
  const { session, part: project } = reader;
  const query: Query = [
    ...ofProject(project),
    ...storedViews.contracts,
    ...(comparesMarks(reader) ? [] : changedWithin(reader.changed)),
  ];
  let contracts: ContractMarks = {};
  const gaps: string[] = [];
  for (const { path, name } of contractKinds) {
    try {
      const { rows, whole } = await readWhole(session, listAt(session, path, query));
      contracts = { ...contracts, ...marksOf(rows) };
      if (!whole) gaps.push(`contract_payments of ${name} (${CHANGED})`);
    } catch (error) {
      if (!(error instanceof NotReadable)) throw error;
      gaps.push(`contract_payments of ${name} (${error.why})`);
    }
  }
  return { contracts, gaps };
}
