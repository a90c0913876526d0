import { Handover, ReaderGone } from './handover';

describe('Handover', () => {
  it('hands items over in order, each when it is asked for', async () => {
    const handover = new Handover<number>();
    const log: string[] = [];
    const writer = (async () => {
      for (const item of [1, 2, 3]) {
        log.push(`put ${item}`);
        await handover.put(item);
      }
      handover.end();
    })();
    for (let item = await handover.take(); item !== undefined; item = await handover.take()) {
      log.push(`take ${item}`);
    }
    await writer;
    expect(log).toEqual(['put 1', 'take 1', 'put 2', 'take 2', 'put 3', 'take 3']);
  });

  it('waits for a writer that is slower than the reader', async () => {
    const handover = new Handover<string>();
    const taken = handover.take();
    void handover.put('late');
    await expect(taken).resolves.toBe('late');
  });

  it('gives what was put before the writer failed, then its error', async () => {
    const handover = new Handover<string>();
    void handover.put('whole').then(() => handover.fail(new Error('broke')));
    await expect(handover.take()).resolves.toBe('whole');
    await expect(handover.take()).rejects.toThrow('broke');
  });

  it('fails for a writer that waits when its reader leaves', async () => {
    const handover = new Handover<string>();
    const put = handover.put('taken');
    await handover.take();
    handover.abandon();
    await expect(put).rejects.toThrow(ReaderGone);
    await expect(handover.put('more')).rejects.toThrow(ReaderGone);
  });

  it('fails for a writer whose item was never taken', async () => {
    const handover = new Handover<string>();
    const put = handover.put('untaken');
    handover.abandon();
    await expect(put).rejects.toThrow(ReaderGone);
  });

  it('refuses a second item before the first is taken', async () => {
    const handover = new Handover<string>();
    void handover.put('first');
    await expect(handover.put('second')).rejects.toThrow('await put()');
    await expect(handover.take()).resolves.toBe('first');
  });
});
