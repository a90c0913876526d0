// Generated, damaged and hostile requests over every route and every slot: no fault, and no answer that the description of the API leaves out.
import { fc } from '../../libs/mapper/src/testing/property';
import { connectedRecords, requests, type Sent } from '../e2e/openapi/request.arbitrary';
import { damaged, hostileText } from '../e2e/openapi/schema.arbitrary';
import { api } from '../support/api';
import { startApp, type RunningApp } from '../support/app';
import { campaign } from '../support/campaign';
import { exampleRequests, filled } from '../support/described-slots';

const examples = exampleRequests();

/** Requests of the description's examples, each with a hostile text in one slot or with a damaged body. */
const mutated: fc.Arbitrary<Sent> = fc.constantFrom(...examples).chain((example) => {
  const slots = example.slots.map((slot) =>
    // Bytes that no header and no URL can have are for clients over plain sockets.
    hostileText.map((text): Sent =>
      filled(example, slot, slot.in === 'header' ? printable(text) : Buffer.from(text).toString()),
    ),
  );
  const { method, path } = filled(example, { in: 'header', name: 'X-Request-ID' }, '');
  const damage = damaged(example.body ?? {}).map((body): Sent => ({ method, path, body }));
  return fc.oneof(...slots, ...(method === 'GET' ? [] : [damage]));
});

campaign('input', (campaign) => {
  let app: RunningApp;
  beforeAll(async () => {
    app = await startApp({ logLevel: 'error' });
  });
  afterAll(() => app.close());

  campaign.part('meets no fault and no answer that is not described', async (time) => {
    const { key } = await app.issueKey('test'); // Not a demo key: a DELETE would end the session.
    const client = api(app.url, key);
    const records = await connectedRecords(client);
    for (const { method, path, headers, body } of time.cases(fc.oneof(requests(records), mutated))) {
      // The answer is compared with the description behind this call.
      const { status } = await client.send(method, path, {
        ...(headers && { headers }),
        ...(method !== 'GET' && { body }),
      });
      campaign.count(`answers ${status}`);
      expect({ method, path, body, isFault: status >= 500 }).toEqual({ method, path, body, isFault: false });
    }
    expect(app.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').trim();
