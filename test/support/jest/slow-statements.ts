// Loaded before each test file if SLOW_STATEMENTS is set. One in eight statements starts late, by up to this number of
// milliseconds, as on a busy server. This reveals tests and code that assume that work completes sooner.
import { Client } from 'pg';

const MOST_MS = Number(process.env['SLOW_STATEMENTS']);
const NAME = '_pulseQueryQueue';
const SLOWED = Symbol.for('statements that begin late');

// Test files share the driver, but it must not use the virtual clocks of tests.
const later = setTimeout;
const waiting = new WeakSet();
const begin: unknown = Reflect.get(Client.prototype, NAME);
if (typeof begin !== 'function') throw new Error(`This version of pg has no ${NAME}`);
if (!Reflect.has(begin, SLOWED)) {
  const beginLate = function (this: Client): void {
    if (waiting.has(this)) return;
    if (Math.random() > 1 / 8) return void Reflect.apply(begin, this, []);
    waiting.add(this);
    later(() => {
      waiting.delete(this);
      Reflect.apply(begin, this, []);
    }, Math.random() * MOST_MS);
  };
  Reflect.set(Client.prototype, NAME, Object.assign(beginLate, { [SLOWED]: true }));
}
