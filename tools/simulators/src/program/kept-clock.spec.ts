import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptClock } from './kept-clock';

describe('a clock whose time is kept', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kept-clock-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('goes on where it ended, however far it was ahead', () => {
    const file = join(folder, 'clock.json');
    const first = keptClock(file, 1);
    first.clock.advance(86_400_000);
    const ended = first.clock.now();
    first.close();
    const second = keptClock(file, 1);
    expect(second.clock.now()).toBeGreaterThanOrEqual(ended);
    second.close();
  });

  it('skips what a kill may have lost', () => {
    const file = join(folder, 'clock.json');
    const later = Date.now() + 1_000_000;
    writeFileSync(file, JSON.stringify({ now: later }));
    const { clock, close } = keptClock(file, 60);
    expect(clock.now()).toBeGreaterThanOrEqual(later + 60_000);
    close();
  });

  it('is never behind the real time, and keeps nothing without a file', () => {
    writeFileSync(join(folder, 'clock.json'), JSON.stringify({ now: 1 }));
    const before = Date.now();
    for (const file of [undefined, join(folder, 'clock.json')]) {
      const { clock, close } = keptClock(file, 1);
      expect(clock.now()).toBeGreaterThanOrEqual(before);
      close();
    }
  });
});
