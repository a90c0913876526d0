import { HostResolver } from '../../../src/webhook-endpoints/address/endpoint-addresses';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import {
  about,
  exampleRequests,
  filled,
  type ExampleRequest,
} from '../../support/description/described-slots';
import { markedCustomer, rowsAtRest, type MarkedCustomer } from '../../support/customers/marked-customer';
import { madeUp } from '../../support/description/offered-ids';
import { StoredRecords } from '../../support/database/stored-records';
import { masterKey } from '../credentials/master-keys';

jest.setTimeout(120_000);

/** The described requests about one thing that a customer has. */
const requests = exampleRequests().filter(({ template }) => /\{(?:canonical_)?id\}/.test(template));
const routes = [...new Set(requests.map(({ route }) => route))];

describe('the data of another customer', () => {
  let app: RunningApp;
  let stored: StoredRecords;
  let owner: MarkedCustomer;
  let other: ReturnType<typeof api>;
  beforeAll(async () => {
    app = await startApp({ credentialsKeys: [masterKey('other-customers')] });
    stored = await StoredRecords.open(app.databaseUrl);
    jest
      .spyOn(app.app.get(HostResolver, { strict: false }), 'resolve')
      .mockResolvedValue([{ address: '93.184.215.14', family: 4 }]);
    owner = await markedCustomer(app, 'of-the-owner');
    // It has nothing itself: sandboxes give their records, and so their cases, the same IDs for every customer.
    other = api(app.url, (await app.issueKey('live')).key);
  });
  afterAll(async () => {
    await stored.close();
    await app.close();
  });

  /** The ID of the owner's thing that a request is about. */
  function ownId(request: ExampleRequest): string {
    const { id } = about({ ...request, method: 'GET' }, owner.ids, '').usual;
    if (id === undefined || id === '')
      throw new Error(`${request.route} is about nothing that is known here`);
    return id;
  }

  async function asked(request: ExampleRequest, id: string) {
    const name = /\{(\w+)\}/.exec(request.template)?.[1] ?? '';
    const { method, path, body } = filled(request, { in: 'path', name }, id);
    const { status, text } = await other.send(method, path, body === undefined ? {} : { body });
    return { status, text: text.replaceAll(id, 'ID').replace(/req_\w+/g, 'req') };
  }

  it('are found by no route and stay unchanged', async () => {
    const before = await rowsAtRest(stored, owner);
    const hidden = new Set<string>();
    for (const request of requests) {
      const id = ownId(request);
      const answer = await asked(request, id);
      // An ID that nobody has is answered in the same words.
      expect({ route: request.route, ...answer }).toEqual({
        route: request.route,
        ...(await asked(request, madeUp(id))),
      });
      if (answer.status === 404) hidden.add(request.route);
    }
    expect([...hidden]).toEqual(routes);
    expect(await rowsAtRest(stored, owner)).toEqual(before);
  });

  it('are not changed by a request that names several', async () => {
    const body = { ids: [owner.ids.cases], owner: 'Another' };
    expectError(await other.send('PATCH', '/reconciliation/cases', { body }), 404, 'NOT_FOUND');
    const { body: shown } = await owner.client.get(`/reconciliation/cases/${owner.ids.cases}`);
    expect(shown.data.owner).toBeNull();
  });
});
