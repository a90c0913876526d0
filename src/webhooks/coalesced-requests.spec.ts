import { CoalescedRequests } from './coalesced-requests';

const connection = { customerId: 'c', platform: 'platform_a' } as const;

/** Requests that end when the test ends them. */
function slowRequests() {
  const open: { end(): void; fail(): void }[] = [];
  return {
    open,
    requests: {
      request: () =>
        new Promise<void>((resolve, reject) => {
          open.push({ end: () => resolve(), fail: () => reject(new Error('away')) });
        }),
    },
  };
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

describe('CoalescedRequests', () => {
  it('makes one request for concurrent notifications, and one for those that arrive meanwhile', async () => {
    const { open, requests } = slowRequests();
    const folded = new CoalescedRequests(requests);
    const first = Array.from({ length: 100 }, () => folded.ask(connection));
    await turns();
    expect(open).toHaveLength(1);
    let later = 0;
    const second = Array.from({ length: 100 }, () => folded.ask(connection).then(() => (later += 1)));
    await turns();
    expect(open).toHaveLength(1);
    open[0]?.end();
    await Promise.all(first);
    await turns();
    expect(open).toHaveLength(2);
    expect(later).toBe(0);
    open[1]?.end();
    await Promise.all(second);
    expect(later).toBe(100);
  });

  it('fails if the request that covers it fails, and for no other failure', async () => {
    const { open, requests } = slowRequests();
    const folded = new CoalescedRequests(requests);
    const first = folded.ask(connection);
    await turns();
    const second = folded.ask(connection);
    open[0]?.fail();
    await expect(first).rejects.toThrow('away');
    await turns();
    open[1]?.end();
    await expect(second).resolves.toBeUndefined();
  });

  it('lets no notification wait for those of another connection', async () => {
    const { open, requests } = slowRequests();
    const folded = new CoalescedRequests(requests);
    void folded.ask(connection);
    void folded.ask({ ...connection, platform: 'platform_b' });
    await turns();
    expect(open).toHaveLength(2);
    for (const request of open) request.end();
  });
});
