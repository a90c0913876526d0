import { isJsonArray, isJsonObject, ownMember, ownText, type JsonObject, type JsonValue } from '@app/mapper';
import type { SourceRecord } from '../../connector';
import { eachAtOnce } from '../wire/at-once';
import { idNumber, idText } from '../wire/ids';
import { listAt, readList, readWhole } from '../wire/list';
import { CHANGED, ListChanged, NotReadable } from '../wire/read-page';
import { ofProject, paths, storedViews, withIds, type ContractKind } from '../wire/resources';
import type { Session } from '../wire/session';
import type { VendorDirectory } from './vendor-directory';

/** What reading the records of one project needs. */
export interface ProjectReader {
  readonly session: Session;
  readonly vendors: VendorDirectory;
  readonly project: string;
}

/** Records that were read completely, and gaps for records with an unreadable part. */
export interface ReadRecords {
  readonly records: readonly SourceRecord[];
  /** In words, without the project. A record with a gap is left out. */
  readonly gaps: readonly string[];
  /** Why the first record with a gap is left out. */
  readonly refusal?: NotReadable;
}

/** A record of which a part cannot be read. */
interface LeftOut {
  readonly gap: string;
  readonly refusal: NotReadable;
}

/** Contracts in their stored form: with their lines, and with the company's ID of the vendor. */
export async function contractRecords(
  reader: ProjectReader,
  kind: ContractKind,
  rows: readonly JsonObject[],
): Promise<ReadRecords> {
  const read = await eachAtOnce(rows, (row) =>
    leftOut(kind.name, row, async () => ({
      entityType: 'contract' as const,
      variant: kind.variant,
      payload: await withLines(reader, kind, await withVendor(reader, row)),
    })),
  );
  return sorted(read);
}

async function withLines(
  { session, project }: ProjectReader,
  { path }: ContractKind,
  row: JsonObject,
): Promise<JsonObject> {
  const id = idText(ownMember(row, 'id'));
  if (id === undefined || isJsonArray(ownMember(row, 'line_items'))) return row;
  const { rows, whole } = await readWhole(
    session,
    listAt(session, `${path}/${id}/line_items`, ofProject(project)),
  );
  // A part of the lines would add up to a wrong amount.
  if (!whole) throw new ListChanged();
  return { ...row, line_items: rows };
}

async function withVendor({ vendors, project }: ProjectReader, row: JsonObject): Promise<JsonObject> {
  const vendor = ownMember(row, 'vendor');
  if (!isJsonObject(vendor)) return row;
  const id = idText(ownMember(vendor, 'id'));
  if (id === undefined) return row;
  const companyId = await vendors.companyIdOf(project, id, ownText(vendor, 'company'));
  if (companyId === undefined || companyId === id) return row;
  return { ...row, vendor: { ...vendor, id: knownId(companyId), project_vendor_id: shownId(id) } };
}

/** Invoices in their stored form: with their items, and with the company's ID of the vendor. */
export async function requisitionRecords(
  reader: ProjectReader,
  rows: readonly JsonObject[],
): Promise<ReadRecords> {
  // Without its items an invoice is left out, as a contract without its lines is. The other records can be read.
  const items = await itemsOf(reader, rows).catch((error: unknown) => {
    if (error instanceof NotReadable) return error;
    throw error;
  });
  const read = await eachAtOnce(rows, (row) =>
    leftOut('requisitions', row, async () => {
      const payload = await withVendorId(reader, row);
      if (isJsonArray(ownMember(row, 'items'))) return invoice(payload);
      if (items instanceof NotReadable) throw items;
      const own = items.get(idText(ownMember(row, 'id')) ?? '');
      if (own === undefined) throw new NotReadable(404);
      return invoice({ ...payload, items: own });
    }),
  );
  return sorted(read);
}

function invoice(payload: JsonObject): SourceRecord {
  return { entityType: 'invoice', variant: null, payload };
}

/** The items of invoices whose list omits them, by the ID of the invoice. */
async function itemsOf(
  { session, project }: ProjectReader,
  rows: readonly JsonObject[],
): Promise<ReadonlyMap<string, JsonValue>> {
  const items = new Map<string, JsonValue>();
  const missing = new Set(
    rows.flatMap((row) => (isJsonArray(ownMember(row, 'items')) ? [] : (idText(ownMember(row, 'id')) ?? []))),
  );
  if (missing.size === 0) return items;
  const query = [...ofProject(project), ...storedViews.requisitionItems, ...withIds([...missing])];
  for await (const page of readList(session, listAt(session, paths.requisitions, query))) {
    for (const row of page.rows) {
      const id = idText(ownMember(row, 'id'));
      const own = ownMember(row, 'items');
      if (id !== undefined && missing.delete(id)) items.set(id, own ?? []);
    }
    if (missing.size === 0) break;
  }
  return items;
}

async function withVendorId({ vendors, project }: ProjectReader, row: JsonObject): Promise<JsonObject> {
  const id = idText(ownMember(row, 'vendor_id'));
  if (id === undefined) return row;
  const companyId = await vendors.companyIdOf(project, id, ownText(row, 'vendor_name'));
  if (companyId === undefined || companyId === id) return row;
  return { ...row, vendor_id: knownId(companyId), project_vendor_id: shownId(id) };
}

/** The payments of a contract, with a gap where its list cannot be read or is not whole. */
export async function paymentRecords(
  reader: Pick<ProjectReader, 'session' | 'project'>,
  contract: string,
): Promise<ReadRecords> {
  const gap = (why: string): string => `contract_payments of contract ${contract} (${why})`;
  try {
    const { records, whole } = await paymentsOf(reader, contract);
    return { records, gaps: whole ? [] : [gap(CHANGED)] };
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
    return { records: [], gaps: [gap(error.why)] };
  }
}

/** The payments of a contract, and whether these are all. @throws NotReadable, PlatformError */
export async function paymentsOf(
  { session, project }: Pick<ProjectReader, 'session' | 'project'>,
  contract: string,
): Promise<{ readonly records: readonly SourceRecord[]; readonly whole: boolean }> {
  const query = [...ofProject(project), ['contract_id', contract]] as const;
  const { rows, whole } = await readWhole(session, listAt(session, paths.payments, query));
  const parents = { contract_id: shownId(contract), project_id: shownId(project) };
  const records = rows.map((row): SourceRecord => ({
    entityType: 'payment',
    variant: null,
    payload: { ...parents, ...row },
  }));
  return { records, whole };
}

async function leftOut(
  name: string,
  row: JsonObject,
  read: () => Promise<SourceRecord>,
): Promise<SourceRecord | LeftOut> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
    return { gap: `${name} ${idText(ownMember(row, 'id')) ?? ''} (${error.why})`, refusal: error };
  }
}

function sorted(read: readonly (SourceRecord | LeftOut)[]): ReadRecords {
  const leftOut = read.filter((one) => 'gap' in one);
  const [first] = leftOut;
  return {
    records: read.filter((one): one is SourceRecord => !('gap' in one)),
    gaps: leftOut.map(({ gap }) => gap),
    ...(first && { refusal: first.refusal }),
  };
}

function knownId(id: string | null): JsonValue {
  return id === null ? null : shownId(id);
}

/** An ID as the platform's records contain it: a number, or text beyond 2^53. */
function shownId(id: string): JsonValue {
  const number = idNumber(id);
  return typeof number === 'number' ? number : id;
}
