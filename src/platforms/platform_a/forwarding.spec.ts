import { parseJsonText, type JsonValue } from '@app/mapper';
import { readPath } from '../live/forwarding/request-path';
import type { PlatformASettings } from './credentials';
import { platformAForwarding } from './forwarding';

const settings = (projects?: readonly string[]): PlatformASettings => ({
  login_url: 'https://login.example',
  api_url: 'https://api.example',
  company_id: '8089',
  client_id: 'id',
  ...(projects && { projects }),
});

function problems(
  path: string,
  query: readonly (readonly [string, string])[] = [],
  body?: JsonValue,
  projects?: readonly string[],
): readonly string[] {
  const read = readPath(path);
  if ('problem' in read) throw new Error(read.problem);
  return platformAForwarding.problems(settings(projects), { ...read, query, body });
}

describe('requests of callers to platform_a', () => {
  it.each([
    ['/rest/v1.0/vendors', [['company_id', '8089']]],
    ['/rest/v2.0/companies/8089/projects/7/contracts', []],
    ['/rest/v1.0/projects/7/vendors', []],
    ['/rest/v1.1/projects', [['company_id', '8089']]],
  ] as const)('may address %s', (path, query) => {
    expect(problems(path, query)).toEqual([]);
  });

  it.each([
    ['/oauth/token', []],
    ['/rest', []],
    ['/rest/latest/vendors', []],
    ['/rest/v1.0/companies', []],
    ['/rest/v1.0/companies.json', []],
    ['/rest/v1.0/COMPANIES', []],
    ['/rest/v1.0/companies/8090/vendors', []],
    ['/rest/v1.0/companies/8089.json', []],
    ['/rest/v1.0/webhooks/hooks', []],
    ['/rest/v1.0/webhooks.json', []],
    ['/rest/v1.0/vendors', [['company_id', '8090']]],
    [
      '/rest/v1.0/vendors',
      [
        ['company_id', '8089'],
        ['company_id', '8090'],
      ],
    ],
    ['/rest/v1.0/vendors', [['company_id[]', '8089']]],
    ['/rest/v1.0/vendors', [['[company_id]', '8090']]],
    ['/rest/v1.0/vendors', [['company_id]', '8090']]],
    ['/rest/v1.0/vendors', [['vendor[company_id]', '8090']]],
    ['/rest/v1.0/vendors', [['filters[company_id][]', '8090']]],
  ] as const)('may not address %s with %j', (path, query) => {
    expect(problems(path, query)).not.toEqual([]);
  });

  it('name no other company in the body', () => {
    const body = (text: string) => problems('/rest/v1.0/vendors', [], parseJsonText(text));
    expect(body('{"company_id":8089,"vendor":{}}')).toEqual([]);
    expect(body('{"company_id":"8089"}')).toEqual([]);
    expect(body('{"company_id":8090}')).toEqual(['body.company_id names another company']);
    expect(body('{"company_id":null}')).toEqual(['body.company_id names another company']);
    expect(body('{"company_id":80890000000000000000000}')).not.toEqual([]);
    expect(body('{"vendor":{"company_id":8090}}')).toEqual(['body.company_id names another company']);
    expect(body('[{"company_id":8089},{"company_id":"8090"}]')).not.toEqual([]);
    expect(body('{"updates":[{"vendor":{"company_id":8089}},"company_id"]}')).toEqual([]);
  });

  it('stay within the projects of the settings', () => {
    const within = (path: string, query: readonly (readonly [string, string])[] = [], body?: JsonValue) =>
      problems(path, query, body, ['7']);
    expect(within('/rest/v1.0/projects/7/vendors')).toEqual([]);
    expect(within('/rest/v1.0/projects/8/vendors')).not.toEqual([]);
    expect(within('/rest/v1.0/projects/8.json')).not.toEqual([]);
    expect(within('/rest/v1.0/projects/+8/vendors')).not.toEqual([]);
    expect(within('/rest/v1.0/projects/%208/vendors')).not.toEqual([]);
    expect(within('/rest/v1.0/projects/sync')).toEqual([]);
    expect(within('/rest/v1.0/requisitions', [['project_id', '8']])).not.toEqual([]);
    expect(within('/rest/v1.0/requisitions', [['project_id', '7']], { project_id: 8 })).not.toEqual([]);
    expect(within('/rest/v1.0/requisitions', [], { requisition: { project_id: 8 } })).not.toEqual([]);
    expect(within('/rest/v1.0/requisitions', [], [{ project_id: 7 }, { project_id: 8 }])).not.toEqual([]);
    expect(within('/rest/v1.0/requisitions', [], [{ project_id: 7 }])).toEqual([]);
    expect(within('/rest/v1.0/requisitions', [['filters[project_id]', '8']])).not.toEqual([]);
    expect(within('/rest/v1.0/requisitions', [['filters[project_id]', '7']])).toEqual([]);
    const shared = '/rest/v1.0/companies/8089/app_configurations';
    expect(within(shared, [], { project_ids: [7, 8] })).not.toEqual([]);
    expect(within(shared, [], { project_ids: [{ id: 8 }] })).not.toEqual([]);
    expect(within(shared, [], { app_configuration: { project_ids: 8 } })).not.toEqual([]);
    expect(within(shared, [], { project_ids: [7] })).toEqual([]);
    expect(within(shared, [], { project_ids: [] })).toEqual([]);
    expect(within('/rest/v1.0/requisitions', [['filters[project_ids][]', '8']])).not.toEqual([]);
    expect(within('/rest/v1.0/requisitions', [['project_ids[]', '8']])).not.toEqual([]);
    expect(within('/rest/v1.0/requisitions', [['project_ids', '7,8']])).not.toEqual([]);
    expect(within('/rest/v1.0/requisitions', [['project_ids[]', '7']])).toEqual([]);
    expect(problems('/rest/v1.0/projects/8/vendors')).toEqual([]);
  });

  it('stay within the projects of the settings where one names several', () => {
    const path = '/rest/v1.0/projects/sync';
    const within = (updates: JsonValue, to = path) =>
      problems(to, [], { company_id: 8089, updates }, ['7', '9007199254740993']);
    const others = ['body.updates names a project that is not among those of the connection'];
    expect(within([{ id: 7, name: 'Tower' }, { id: '7' }, { name: 'New' }])).toEqual([]);
    expect(within(parseJsonText('[{"id":9007199254740993}]'))).toEqual([]);
    expect(within([{ id: 7 }, { id: 8, name: 'Tower' }])).toEqual(others);
    expect(within([{ id: 8 }], '/rest/v1.0/Projects/sync.json')).toEqual(others);
    expect(within([{ origin_id: 'P-8', name: 'Tower' }])).toEqual(others);
    expect(within([{ id: null }])).toEqual(others);
    expect(within({ 0: { id: 8 } })).toEqual(others);
    expect(within([8])).toEqual(others);
    expect(problems(path, [['updates[][id]', '8']], {}, ['7'])).not.toEqual([]);
    expect(problems(path, [], { updates: [{ id: 8 }] })).toEqual([]);
    expect(within([{ id: 8 }], '/rest/v1.0/vendors/sync')).toEqual([]);
  });
});
