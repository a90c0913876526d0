import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookRefused } from './webhooks';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = JSON.stringify({ id: 'evt_1', type: 'run.completed', note: 'Zürich' });
const now = new Date('2026-02-01T00:00:00Z');
const headers = (signedBy = secret, at = now) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(at.getTime() / 1_000),
  'webhook-signature': new Webhook(signedBy).sign('evt_1', at, body),
});
const verify = (given: Record<string, string>, text: string | Uint8Array = body) =>
  verifyWebhook(text, given, secret, now.getTime());

describe('verifyWebhook()', () => {
  it('reads an event that was signed, as text or as bytes, from headers of either kind', async () => {
    await expect(verify(headers())).resolves.toEqual(JSON.parse(body));
    await expect(verify(headers(), Buffer.from(body))).resolves.toEqual(JSON.parse(body));
    await expect(verifyWebhook(body, new Headers(headers()), secret, now.getTime())).resolves.toMatchObject({
      id: 'evt_1',
    });
  });

  it('takes one of several signatures', async () => {
    const other = headers(`whsec_${Buffer.alloc(32, 8).toString('base64')}`);
    const both = `${other['webhook-signature']} v2,x ${headers()['webhook-signature']}`;
    await expect(verify({ ...headers(), 'webhook-signature': both })).resolves.toMatchObject({ id: 'evt_1' });
    await expect(verify(other)).rejects.toThrow(WebhookRefused);
  });

  it.each<[string, Record<string, string>, string]>([
    ['an altered body', headers(), `${body} `],
    ['another ID', { ...headers(), 'webhook-id': 'evt_2' }, body],
    ['an old time', headers(secret, new Date(now.getTime() - 301_000)), body],
    ['a time to come', headers(secret, new Date(now.getTime() + 301_000)), body],
    ['no number as time', { ...headers(), 'webhook-timestamp': '' }, body],
    ['no signature', { ...headers(), 'webhook-signature': '' }, body],
    ['nonsense as signature', { ...headers(), 'webhook-signature': 'v1,*** v1' }, body],
    ['no header', { 'webhook-id': 'evt_1' }, body],
  ])('refuses %s', async (_what, given, text) => {
    await expect(verify(given, text)).rejects.toThrow(WebhookRefused);
  });

  it('says what a secret looks like', async () => {
    await expect(verifyWebhook(body, headers(), 'abc', now.getTime())).rejects.toThrow(TypeError);
  });
});
