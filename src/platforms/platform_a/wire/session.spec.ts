import { Session } from './session';

const signal = new AbortController().signal;
const connection = { customerId: 'c', platform: 'platform_a' } as const;
const sender = { send: () => Promise.reject(new Error('Nothing is sent')) };

describe('a link of the platform', () => {
  it.each([
    ['https://api.example', 'https://api.example/rest/x?page=2', 'https://api.example/rest/x?page=2'],
    ['https://api.example', 'http://internal:8080/rest/x?page=2', 'https://api.example/rest/x?page=2'],
    ['https://api.example', '/rest/x?page=2', 'https://api.example/rest/x?page=2'],
    ['https://proxy.example/a', 'https://api.example/rest/x?page=2', 'https://proxy.example/a/rest/x?page=2'],
    ['https://proxy.example/a', 'https://proxy.example/a/rest/x', 'https://proxy.example/a/rest/x'],
    ['https://proxy.example/a', '/rest/x?page=2', 'https://proxy.example/a/rest/x?page=2'],
    ['https://proxy.example/a', 'https://api.example/about/x', 'https://proxy.example/a/about/x'],
    ['https://api.example', 'http://[', undefined],
  ])('of %s: %s is followed at %s', (api_url, link, followed) => {
    const session = new Session(connection, { api_url, company_id: '1' }, sender, signal, () => new Date(0));
    expect(session.followed(link)).toBe(followed);
  });
});
