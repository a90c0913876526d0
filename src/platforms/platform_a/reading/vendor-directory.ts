import { ownMember, type JsonObject } from '@app/mapper';
import { companyWide } from '../wire/company-wide';
import { idText } from '../wire/ids';
import { listAt, readWhole } from '../wire/list';
import { NotReadable } from '../wire/read-page';
import { ofCompany, paths, storedViews } from '../wire/resources';
import type { Session } from '../wire/session';

/** A vendor in the company's directory. */
export interface CompanyVendor {
  readonly id: string;
  readonly name: string;
  readonly originId: string | undefined;
}

/** A vendor of a project: its ID in the project, and its ID in the company if that is known. */
export interface ProjectVendor {
  readonly id: string;
  readonly companyId: string | undefined;
}

/**
 * The known vendors of one company. They may be some minutes old; a vendor that is not among them is looked up again.
 */
export interface KnownVendors {
  company?: Promise<readonly CompanyVendor[]>;
  readonly projects: Map<string, Promise<readonly ProjectVendor[]>>;
}

/**
 * Resolves the IDs of vendors. A vendor has one ID in the company's directory and may have another in the directory of
 * each project. Contracts and invoices use the project's ID.
 */
export class VendorDirectory {
  /** Directories that this instance has read itself and need not read again. */
  private readonly fresh = new Set<string>();

  constructor(
    private readonly session: Session,
    private readonly known: KnownVendors,
  ) {}

  /**
   * The company's ID of the vendor that a record of a project names.
   *
   * @param name the vendor's name in the record; undefined if the record has none
   * @returns undefined if the vendor cannot be identified; null if in addition the company gives this ID to another
   *   vendor, so that it must not be taken for the company's
   * @throws PlatformError
   */
  async companyIdOf(
    project: string,
    id: string,
    name: string | undefined,
  ): Promise<string | null | undefined> {
    const isSame = (vendor: CompanyVendor): boolean => vendor.id === id && vendor.name === name;
    if ((await this.company()).some(isSame)) return id;
    const isIt = (vendor: ProjectVendor): boolean => vendor.id === id;
    let found: ProjectVendor | undefined;
    try {
      found = (await this.ofProject(project)).find(isIt) ?? (await this.ofProject(project, true)).find(isIt);
    } catch (error) {
      if (!(error instanceof NotReadable)) throw error;
    }
    if (found?.companyId !== undefined) return found.companyId;
    const known = await this.company();
    const hasId = known.some((vendor) => vendor.id === id);
    // A vendor that was renamed since the directory was read has its new name in the record.
    const company = hasId && name !== undefined ? await this.company(true) : known;
    if (company.some(isSame)) return id;
    if (found === undefined) {
      // Without the project's directory, only the name in the record identifies the vendor.
      const named = company.filter((vendor) => vendor.name === name);
      if (named.length === 1) return named[0]?.id;
      if (name === undefined && hasId) return id;
    }
    return hasId ? null : undefined;
  }

  /**
   * The project's ID of a vendor of the company, from a fresh reading; undefined if the project does not have the
   * vendor.
   */
  async projectIdOf(project: string, companyId: string): Promise<string | undefined> {
    const vendors = await this.ofProject(project, true);
    return vendors.find((vendor) => vendor.companyId === companyId)?.id;
  }

  /** Records a vendor that was added to a project. */
  added(project: string, vendor: ProjectVendor): void {
    const before = this.known.projects.get(project) ?? Promise.resolve([]);
    const now = before.then((vendors) => [...vendors, vendor]);
    // The caller that awaits the reading gets its failure.
    now.catch(() => undefined);
    this.known.projects.set(project, now);
  }

  private company(again = false): Promise<readonly CompanyVendor[]> {
    return this.remembered(
      'company',
      again,
      () => this.known.company,
      () => (this.known.company = this.readCompany()),
    );
  }

  private ofProject(project: string, again = false): Promise<readonly ProjectVendor[]> {
    return this.remembered(
      project,
      again,
      () => this.known.projects.get(project),
      () => {
        const read = this.readProject(project);
        this.known.projects.set(project, read);
        return read;
      },
    );
  }

  private async remembered<Vendors>(
    what: string,
    again: boolean,
    find: () => Promise<Vendors> | undefined,
    read: () => Promise<Vendors>,
  ): Promise<Vendors> {
    for (let mustRead = again; ; mustRead = true) {
      const isFresh = this.fresh.has(what);
      const reading = mustRead && !isFresh ? undefined : find();
      if (reading === undefined) {
        // There is no await between the lookup and this line, so concurrent callers share the reading.
        this.fresh.add(what);
        return read();
      }
      try {
        return await reading;
      } catch (error) {
        // A reading of another caller that failed is repeated.
        if (isFresh) throw error;
      }
    }
  }

  private async readCompany(): Promise<readonly CompanyVendor[]> {
    const { session } = this;
    const query = [...ofCompany(session), ...storedViews.vendors];
    const active = await companyWide(session, readWhole(session, listAt(session, paths.vendors, query)));
    const path = paths.inactiveVendors(session.settings.company_id);
    const inactive = await companyWide(
      session,
      readWhole(session, listAt(session, path, storedViews.vendors)),
    );
    return [...active.rows, ...inactive.rows].flatMap((row) => companyVendor(row) ?? []);
  }

  private async readProject(project: string): Promise<readonly ProjectVendor[]> {
    const { session } = this;
    const { rows } = await readWhole(session, listAt(session, paths.projectVendors(project), []));
    const vendors = rows.flatMap((row) => companyVendor(row) ?? []);
    const find = (company: readonly CompanyVendor[]): readonly ProjectVendor[] =>
      vendors.map((vendor) => ({ id: vendor.id, companyId: sameVendor(vendor, company)?.id }));
    const matched = find(await this.company());
    return matched.every(({ companyId }) => companyId !== undefined)
      ? matched
      : find(await this.company(true));
  }
}

/**
 * The company's vendor that corresponds to a project's vendor: by ID, by the accounting system's ID, or by the exact
 * name.
 */
function sameVendor(vendor: CompanyVendor, company: readonly CompanyVendor[]): CompanyVendor | undefined {
  const byId = company.find(({ id, name }) => id === vendor.id && name === vendor.name);
  if (byId !== undefined) return byId;
  const byOrigin = company.filter(({ originId }) => originId !== undefined && originId === vendor.originId);
  if (byOrigin.length === 1) return byOrigin[0];
  const byName = company.filter(({ name }) => name === vendor.name);
  return byName.length === 1 ? byName[0] : undefined;
}

function companyVendor(row: JsonObject): CompanyVendor | undefined {
  const id = idText(ownMember(row, 'id'));
  const name = ownMember(row, 'name');
  const originId = ownMember(row, 'origin_id');
  if (id === undefined || typeof name !== 'string') return undefined;
  return { id, name, originId: typeof originId === 'string' && originId !== '' ? originId : undefined };
}
