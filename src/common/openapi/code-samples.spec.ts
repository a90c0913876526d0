import { codeSamples } from './code-samples';

const curlOf = (method: string, bodies: readonly string[] = []): unknown =>
  codeSamples({
    method,
    path: '/api/v1/rates/{from}/{to}',
    operation: { operationId: 'anOperation', security: [{ apiKey: [] }] },
    bodies,
  })[0]?.source;

describe('codeSamples', () => {
  it('names the parameters of the path as variables', () => {
    expect(curlOf('get')).toBe(
      'curl "$BASE_URL/api/v1/rates/$FROM/$TO" \\\n  -H "Authorization: Bearer $API_KEY"',
    );
  });

  it('sends the shortest body, as one word of a shell', () => {
    expect(curlOf('put', ['the longer one', "o'clock"])).toMatch(/ -d '"o'\\''clock"'$/);
    expect(curlOf('delete')).toMatch(/^curl -X DELETE .* -d '\{\}'$/s);
  });

  it('shows the client where it has a method', () => {
    const operation = { operationId: 'getMe' };
    const samples = codeSamples({ method: 'get', path: '/api/v1/me', operation, bodies: [] });
    expect(samples).toEqual([
      { lang: 'Shell', label: 'curl', source: 'curl "$BASE_URL/api/v1/me"' },
      { lang: 'TypeScript', label: 'Client', source: expect.stringContaining('client.me()') as unknown },
    ]);
  });
});
