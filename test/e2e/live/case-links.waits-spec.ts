import { startPlatformA, startPlatformB } from '@app/simulators';
import { CredentialsService } from '../../../src/platforms/credentials/credentials.service';
import { Secrets } from '../../../src/platforms/credentials/secrets';
import { api } from '../../support/app/api';
import { startLiveService } from '../../support/live/live-platform-a';
import { settingsOf } from '../../support/live/live-platform-b';

jest.setTimeout(90_000);

type Body = ReturnType<typeof JSON.parse>;

interface RecordName {
  readonly platform: string;
  readonly platform_id: string;
}

async function tokenFrom(url: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...fields });
  const answer = await fetch(url, { method: 'POST', body });
  const { access_token: token }: Body = await answer.json();
  return token;
}

describe('the links of a case of live connections', () => {
  it('lead to its records in the APIs of their platforms', async () => {
    const service = await startLiveService();
    const [onA, onB] = [await startPlatformA(), await startPlatformB()];
    try {
      const { key, customerId } = await service.openLive(onA);
      const { settings, secret } = settingsOf(onB);
      await service.app
        .get(CredentialsService, { strict: false })
        .set(customerId, 'platform_b', settings, new Secrets({ client_secret: secret }));
      const client = api(service.url, key);
      for (const platform of ['platform_a', 'platform_b']) {
        let status = 202;
        // A busy machine may take longer than a request waits.
        while (status === 202) ({ status } = await client.post('/connect', { platform }));
        expect(status).toBe(200);
      }
      const cases: Body[] = (await client.get('/reconciliation/cases?limit=500')).body.data;
      const { client_id, client_secret, company_id } = onA.credentials;
      const tokens: Body = {
        platform_a: await tokenFrom(`${onA.loginUrl}/oauth/token`, { client_id, client_secret }),
        platform_b: await tokenFrom(String(settings.token_url), {
          client_id: String(settings.client_id),
          client_secret: secret,
          scope: 'https://api.businesscentral.dynamics.com/.default',
        }),
      };
      const followed = new Set<string>();
      for (const { entity_type: type, links, records } of cases) {
        for (const [platform, link] of Object.entries<string | null>(links)) {
          const named = (records as readonly RecordName[]).find((one) => one.platform === platform);
          if (named === undefined) {
            expect(link).toBeNull();
            continue;
          }
          if (followed.has(`${platform} ${type}`)) continue;
          followed.add(`${platform} ${type}`);
          const answer = await fetch(String(link), {
            headers: {
              authorization: `Bearer ${tokens[platform]}`,
              'procore-company-id': String(company_id),
            },
          });
          const body: Body = await answer.json();
          expect([platform, type, answer.status, String(body.id)]).toEqual([
            platform,
            type,
            200,
            named.platform_id,
          ]);
        }
      }
      expect(followed.size).toBeGreaterThan(5);
    } finally {
      await onA.close();
      await onB.close();
      await service.close();
    }
  });
});
