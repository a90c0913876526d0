import { stringifyJson, type JsonValue } from '@app/mapper';
import type { PlatformRequest } from '../../live/platform-request';
import { PlatformResponse } from '../../live/platform-response';
import type { PlatformResult } from '../../live/platform-result';
import { contractKinds } from '../wire/resources';
import { Session } from '../wire/session';
import { contractRecords } from './records';
import { VendorDirectory } from './vendor-directory';

const signal = new AbortController().signal;
const connection = { customerId: 'c', platform: 'platform_a' } as const;

/** The vendors of a company, and those of project 7 (null: the account may not read them). */
interface Directories {
  readonly company: readonly JsonValue[];
  readonly project: readonly JsonValue[] | null;
}

function answering({ company, project }: Directories): Session {
  const rowsAt = (path: string): readonly JsonValue[] | null => {
    if (path.includes('/inactive')) return [];
    return path.includes('/projects/') ? project : company;
  };
  const send = ({ url }: PlatformRequest): Promise<PlatformResult> => {
    const rows = rowsAt(new URL(url).pathname);
    const body = Buffer.from(stringifyJson(rows === null ? {} : [...rows]));
    const response = new PlatformResponse(rows === null ? 403 : 200, {}, body);
    return Promise.resolve({ kind: 'answered', response });
  };
  const settings = { api_url: 'https://api.example', company_id: '1' };
  return new Session(connection, settings, { send }, signal, () => new Date(0));
}

function vendorsOf(directories: Directories): VendorDirectory {
  return new VendorDirectory(answering(directories), { projects: new Map() });
}

const OTHER = { id: 10, name: 'Other' };
const twoOfOneName = [OTHER, { id: 20, name: 'Acme' }, { id: 30, name: 'Acme' }];

describe("a vendor's ID in a project that the company gives to another vendor", () => {
  it.each<[string, Directories]>([
    ['two vendors have its name', { company: twoOfOneName, project: [{ id: 10, name: 'Acme' }] }],
    ['the company does not have it', { company: [OTHER], project: [{ id: 10, name: 'Acme' }] }],
    ['the project does not have it', { company: twoOfOneName, project: [] }],
    ["the project's directory may not be read", { company: twoOfOneName, project: null }],
  ])('is not taken for that vendor when %s', async (_, directories) => {
    const vendors = vendorsOf(directories);
    expect(await vendors.companyIdOf('7', '10', 'Acme')).toBeNull();
    if (directories.project !== null) expect(await vendors.projectIdOf('7', '10')).toBeUndefined();
  });

  it('is looked up in the project when the record does not name the vendor', async () => {
    const company = [OTHER, { id: 20, name: 'Acme' }];
    const vendors = vendorsOf({ company, project: [{ id: 10, name: 'Acme' }] });
    expect(await vendors.companyIdOf('7', '10', undefined)).toBe('20');
  });

  it('stands on a contract as the ID of the project alone', async () => {
    const directories = { company: twoOfOneName, project: [{ id: 10, name: 'Acme' }] };
    const reader = { session: answering(directories), vendors: vendorsOf(directories), project: '7' };
    const row = { id: 1, vendor: { id: 10, company: 'Acme' }, line_items: [] };
    for (const kind of contractKinds) {
      const { records } = await contractRecords(reader, kind, [row]);
      expect(records[0]?.payload['vendor']).toEqual({ id: null, company: 'Acme', project_vendor_id: 10 });
    }
  });
});

describe('a vendor whose ID is the same in the project', () => {
  it.each<[string, Directories['project']]>([
    ['the project shows it', [{ id: 10, name: 'Renamed' }]],
    ['the project does not show it', []],
    ["the project's directory may not be read", null],
  ])('is found after it was renamed when %s', async (_, project) => {
    const before = Promise.resolve([{ id: '10', name: 'Other', originId: undefined }]);
    const session = answering({ company: [{ id: 10, name: 'Renamed' }], project });
    const vendors = new VendorDirectory(session, { company: before, projects: new Map() });
    expect(await vendors.companyIdOf('7', '10', 'Renamed')).toBe('10');
  });
});
