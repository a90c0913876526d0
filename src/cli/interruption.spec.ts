import { EventEmitter } from 'node:events';
import { Interrupted, Interruption } from './interruption';

describe('a signal during a command', () => {
  let signals: EventEmitter;
  let interruption: Interruption;
  let exit: jest.SpyInstance;
  const events: string[] = [];
  const emit = (signal: string) => signals.emit(signal, signal);
  const never = () => new Promise<never>(() => undefined);
  beforeEach(() => {
    jest.useFakeTimers();
    exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
    signals = new EventEmitter();
    interruption = new Interruption(signals);
    events.length = 0;
  });
  afterEach(() => {
    jest.useRealTimers();
    exit.mockRestore();
  });

  /** Work that does not end by itself, and a closing that takes a moment. */
  const use = () =>
    interruption.whileOpen(async () => {
      try {
        return await interruption.work(never);
      } finally {
        events.push('closed');
      }
    });

  it('ends the work, and is answered with its code once everything is closed', async () => {
    const using = use();
    emit('SIGTERM');
    await expect(using).rejects.toMatchObject({ exitCode: 143 });
    expect(events).toEqual(['closed']);
    expect(exit).not.toHaveBeenCalled();
  });

  it('keeps later work from beginning', async () => {
    const using = use();
    emit('SIGINT');
    await expect(using).rejects.toThrow(Interrupted);
    const begin = jest.fn();
    await expect(interruption.work(begin)).rejects.toThrow(Interrupted);
    expect(begin).not.toHaveBeenCalled();
  });

  it('counts once if npm passes it on, and ends the process at once if it comes again', async () => {
    const using = use();
    emit('SIGINT');
    emit('SIGINT');
    jest.advanceTimersByTime(900);
    emit('SIGTERM');
    expect(exit).not.toHaveBeenCalled();
    jest.advanceTimersByTime(200);
    emit('SIGINT');
    expect(exit).toHaveBeenCalledWith(130);
    await expect(using).rejects.toThrow(Interrupted);
  });

  it('changes nothing about a command whose work is done', async () => {
    const result = interruption.whileOpen(async () => {
      const key = await interruption.work(() => Promise.resolve('key'));
      emit('SIGINT');
      return key;
    });
    expect(await result).toBe('key');
  });

  it('has its usual effect while nothing is open', async () => {
    await interruption.whileOpen(() => Promise.resolve());
    expect(signals.eventNames()).toEqual([]);
  });
});
