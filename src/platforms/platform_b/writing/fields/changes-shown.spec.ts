import type { StoredEntityType } from '@app/mapper';
import { Session } from '../../session';
import { changesShownSince, changesNotShown } from './changes-shown';

const change = (name: string, value: string) => ({ path: [name], value });
const name = change('displayName', 'New');
const phone = change('phoneNumber', '1');
const email = change('email', 'a@b.example');
const blank = change('currencyCode', '');
const customer: StoredEntityType = 'customer';
const command = { entityType: customer, changes: [name, phone, email, blank] };
const before = { displayName: 'Old', phoneNumber: '1', email: '', currencyCode: 'USD' };
const current = { displayName: 'New', phoneNumber: '1', email: '', currencyCode: 'USD' };

const settings = {
  token_url: 'https://login.example',
  api_url: 'https://b.example/api/v2.0',
  company_id: '7',
  client_id: 'client',
  client_secret: 'secret',
  currency: 'USD',
};
const session = new Session(settings, { send: () => Promise.reject(new Error('Nothing is asked')) });
const { signal } = new AbortController();
const open = (record: typeof current) => changesNotShown(session, customer, command.changes, record, signal);

describe('the changes that a record does not have yet', () => {
  it('do not include a currency that means the same', async () => {
    expect(await open(current)).toEqual([email]);
    expect(await open({ ...current, currencyCode: 'EUR' })).toEqual([email, blank]);
  });
});

describe('the fields that an earlier attempt has written', () => {
  const made = async (then: typeof before | undefined) =>
    changesShownSince(session, command, then, await open(current), signal);

  it('are those that the record has now and did not have then', async () => {
    expect(await made(before)).toEqual([name]);
    expect(await made({ ...before, currencyCode: 'EUR' })).toEqual([name, blank]);
  });

  it('are none if the earlier record is unknown', async () => {
    expect(await made(undefined)).toEqual([]);
  });
});
