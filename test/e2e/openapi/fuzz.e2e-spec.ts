import { fc, seed } from '../../../libs/mapper/src/testing/property';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { connectedRecords, requests, type Known } from './request.arbitrary';

/** Requests in all. A few hundred find what is new; the campaign `input` looks for what is rare. */
const RUNS = 700;

jest.setTimeout(60_000 + RUNS * 200);

describe(`Requests made from the API description (FC_SEED=${seed})`, () => {
  let app: RunningApp;
  let key: string;
  let records: readonly Known[];
  beforeAll(async () => {
    app = await startApp();
    ({ key } = await app.issueKey('test')); // Not a demo key: a DELETE would end the session.
    records = await connectedRecords(api(app.url, key));
  });
  afterAll(() => app.close());

  it(`never meet a fault, nor an answer that is not described (${RUNS} requests)`, async () => {
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(requests(records), async ({ method, path, headers, body }) => {
        // The answer is compared with the description behind this call.
        const { status } = await api(app.url, key).send(method, path, {
          ...(headers && { headers }),
          ...(method !== 'GET' && { body }),
        });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        expect(status).toBeLessThan(500);
      }),
      { numRuns: RUNS, seed },
    );
    process.stdout.write(`Fuzz, FC_SEED=${seed}: ${JSON.stringify(Object.fromEntries(statuses))}\n`);
    // If all were refused alike, nothing would have been tried.
    for (const status of [200, 400, 404, 415, 422]) expect([...statuses.keys()]).toContain(status);
  });
});
