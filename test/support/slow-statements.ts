// Loaded before each test file where SLOW_STATEMENTS says so: one in eight statements begins late, by up to so many milliseconds, as
// on a busy server. What a test or the service takes for done too early then shows.
import { Client } from 'pg';

const MOST_MS = Number(process.env['SLOW_STATEMENTS']);
const NAME = '_pulseQueryQueue';
const SLOWED = Symbol.for('statements that begin late');

// Files share the driver. Virtual clocks of tests do not.
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
