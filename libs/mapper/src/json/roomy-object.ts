import type { JsonValue } from './json-value';

/** An object under construction. */
export type Members = Record<string, JsonValue>;

// V8 keeps as many members inside an object as its constructor assigns, and makes a hash table of an object that gets
// more than twelve members beside those under computed names. A hash table takes three times as long to fill, and is
// slower to read. No assignment here ever runs: counting them makes the room.
function Roomy(this: Members, assigned?: JsonValue): void {
  if (assigned === undefined) return;
  this.a = this.b = this.c = this.d = this.e = this.f = this.g = this.h = assigned;
  this.i = this.j = this.k = this.l = this.m = this.n = this.o = this.p = assigned;
  this.q = this.r = this.s = this.t = this.u = this.v = this.w = this.x = assigned;
  this.A = this.B = this.C = this.D = this.E = this.F = this.G = this.H = assigned;
}
Roomy.prototype = Object.prototype;

/** Whether a function constructs plain, empty objects. TypeScript knows this only of classes. */
function isPlainConstructor(construct: object): construct is new () => Members {
  const made: unknown = typeof construct === 'function' ? Reflect.construct(construct, []) : undefined;
  return (
    made instanceof Object &&
    Object.getPrototypeOf(made) === Object.prototype &&
    Reflect.ownKeys(made).length === 0
  );
}

/** @throws Error for a function that constructs anything else than plain, empty objects */
function plainConstructor(construct: object): new () => Members {
  if (!isPlainConstructor(construct)) throw new Error('The function does not construct plain objects');
  return construct;
}

const PlainObject = plainConstructor(Roomy);

// V8 takes back the room that the first few objects leave unused, so these use all of it.
const ROOM = 32;
const FIRST_FEW = 10;
for (let count = 0; count < FIRST_FEW; count += 1) {
  const object = new PlainObject();
  for (let member = 0; member < ROOM; member += 1) object[`member${member}`] = null;
}

/**
 * An empty object, as `{}` is, with room for the members of a whole record. For objects that are filled under names
 * known at run time only: `{}` is as good for a handful of members.
 */
export function roomyObject(): Members {
  return new PlainObject();
}
