// Loaded before each test file. Up to Node 22 each AsyncLocalStorage that was ever used costs something at every await, until it
// is disabled. Jest's runner makes one for each file, and the service another one: after a hundred files in one process an await
// took forty times as long as in the first. Those of the files before are disabled here.

const hooks = process.getBuiltinModule('node:async_hooks');

type Storage = InstanceType<typeof hooks.AsyncLocalStorage>;

/** What outlives a file: hung on Node's own class, because each file has modules and globals of its own. */
interface Kept {
  readonly original: typeof hooks.AsyncLocalStorage;
  readonly made: Storage[];
}
const KEPT = Symbol.for('storages of test files');

const before = (hooks as { [KEPT]?: Kept })[KEPT]; // Only this file writes it.
for (const storage of before?.made ?? []) storage.disable();

const original = before?.original ?? hooks.AsyncLocalStorage;
const made: Storage[] = [];
class KeptStorage<Value> extends original<Value> {
  protected readonly place = made.push(this);
}
// From Node 22 on it is a getter, which cannot be assigned to.
Object.defineProperty(hooks, 'AsyncLocalStorage', {
  value: KeptStorage,
  configurable: true,
  enumerable: true,
});
Object.assign(hooks, { [KEPT]: { original, made } satisfies Kept });
