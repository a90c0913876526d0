import { assembleFields, inPrecedence, type NativeReference, type PlatformName } from '@app/mapper';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import type { Store } from '../../database/transaction/store';
import { ApiError } from '../../common/errors/api-error';
import { loadObjects, loadWithNeighbours, type LoadedObject } from '../../records/stored-objects';
import { lookupsOf, readRequestedChange } from '../plan/requested-change';
import { quoteOf, type Change } from '../plan/change';
import type {
  RequestedChange,
  ChangeContext,
  ResolvedReferences,
  CurrentObjectState,
} from '../plan/change-context';
import { copyState } from '../plan/copy-state';
import { noneExpected } from '../plan/expected-record';
import { changesFigures, figuresWanted, noFigures, type Figures } from '../plan/figures';
import { referenceIds, type ReferredObjects } from '../plan/referred';
import { loadComing } from './coming-records';
import { loadExpected } from './expected-records';
import { loadFigures, loadFiguresOf } from './figures';
import { findCanonical, findInvoice, findReferred, keyTakenOn } from './lookups.repository';
import { lockObject, targetSql } from './lock-object';
import { loadChangeSurroundings } from './change-surroundings';

/**
 * Locks the object that a change is for, and loads all that planning the change depends on.
 *
 * @throws ApiError NOT_FOUND when there is no such object, AUTHENTICATION_ERROR when the customer is gone
 * @throws ChangeRefused `untranslatable` for a rate or a patch that cannot be used
 */
export async function loadContext(store: Store, customerId: string, change: Change): Promise<ChangeContext> {
  const {
    scene: state,
    neighbours,
    hasCreations,
    present,
  } = await loadObjectState(store, customerId, change);
  const requested = readRequestedChange(state, change);
  const named = await lookUp(store, customerId, state, requested);
  // Objects are locked before keys are.
  const { figures, parents } = present ?? (await figuresAround(store, customerId, state, requested, named));
  const resolved = { ...named, keyTakenOn: await lookUpKey(store, customerId, state, requested) };
  const referredObjects = await loadAround(store, customerId, state, [...neighbours, ...parents], resolved);
  const expected = hasCreations
    ? await loadExpected(store, customerId, referredObjects, state.connected)
    : noneExpected;
  return { ...state, requested, resolved, referredObjects, expected, figures };
}

/** What is added up, and objects that were read again behind their locks. */
interface FoundFigures {
  readonly figures: Figures;
  readonly parents: readonly LoadedObject[];
}

async function loadObjectState(
  store: Store,
  customerId: string,
  change: Change,
): Promise<{
  readonly scene: CurrentObjectState;
  readonly neighbours: readonly LoadedObject[];
  /** Whether some record of the customer is still to be created. */
  readonly hasCreations: boolean;
  /** Undefined when they have to be read where the object is put. */
  readonly present: FoundFigures | undefined;
}> {
  const { entityType, target } = change;
  const sql = targetSql(entityType, target);
  const wanted = figuresWanted(change);
  // In one round trip, and each by a statement of its own behind the locks: whoever held them may have changed the values
  // meanwhile. Under the customer's lock no object moves, so all find the same one. Open commands come before the records:
  // what was created between is among the records then.
  const [
    { customerExists, id },
    figures,
    { at, connections, terms, earlier, hasCreations, goneFrom },
    loaded,
  ] = await Promise.all([
    lockObject(store, customerId, entityType, sql),
    // Before the neighbours: it locks those whose amounts the change is compared with.
    wanted === 'present' ? loadFigures(store, customerId, entityType, sql) : noFigures,
    loadChangeSurroundings(store, customerId, sql),
    loadWithNeighbours(store, customerId, sql.id, sql.parameters),
  ]);
  if (!customerExists) throw new CustomerDeleted();
  const object = loaded.find((one) => one.id === id);
  if (object === undefined) throw notFound(change);
  const copies = object.copies.map((copy) => copyState(copy, entityType));
  // Under the lock of the object, so what is still to come does not come meanwhile.
  const coming = earlier.some(({ creates, held }) => creates && !held)
    ? await loadComing(store, customerId, object)
    : [];
  const origin =
    target.format === 'platform'
      ? copies.find(({ copy }) => copy.platform === target.platform && copy.platformId === target.platformId)
      : undefined;
  const state = {
    at,
    entityType,
    object,
    canonical: assembleFields(object, undefined, terms.precedence),
    copies,
    connected: inPrecedence(connections),
    quotes: { request: quoteOf(change), customer: terms.rates },
    terms,
    origin,
    earlier,
    coming: coming.map((copy) => copyState(copy, entityType)),
    goneFrom,
  };
  return {
    scene: state,
    neighbours: loaded.filter((one) => one !== object),
    hasCreations,
    present: wanted === 'moved' ? undefined : { figures, parents: [] },
  };
}

type Named = Omit<ResolvedReferences, 'keyTakenOn'>;

async function lookUp(
  store: Store,
  customerId: string,
  state: CurrentObjectState,
  requested: RequestedChange,
): Promise<Named> {
  const { origin } = state;
  const { canonicalIds, invoiceNumber } = lookupsOf(state, requested);
  const named = [...requested.references].filter(
    (entry): entry is [string, NativeReference] => entry[1] !== undefined,
  );
  const ids =
    origin === undefined
      ? []
      : await findReferred(
          store,
          customerId,
          origin.platform,
          named.map(([, reference]) => reference),
        );
  return {
    canonical: await findCanonical(store, customerId, canonicalIds),
    native: new Map(
      named.flatMap(([field], place): [string, string][] => {
        const id = ids[place];
        return id === undefined ? [] : [[field, id]];
      }),
    ),
    invoiceNamed:
      invoiceNumber === undefined ? undefined : await findInvoice(store, customerId, invoiceNumber),
  };
}

async function lookUpKey(
  store: Store,
  customerId: string,
  state: CurrentObjectState,
  requested: RequestedChange,
): Promise<ResolvedReferences['keyTakenOn']> {
  const { entityType, object, connected, copies } = state;
  const { key } = lookupsOf(state, requested);
  if (key === undefined) return new Set<PlatformName>();
  const platforms = [...new Set([...copies, ...connected].map(({ platform }) => platform))];
  return keyTakenOn(store, customerId, entityType, key.normal, object.id, platforms);
}

/** What is added up for a change that puts the object under another one: where it was, and where it will be. */
async function figuresAround(
  store: Store,
  customerId: string,
  { entityType, object, canonical }: CurrentObjectState,
  requested: RequestedChange,
  { canonical: named, native, invoiceNamed }: Named,
): Promise<FoundFigures> {
  if (!changesFigures(entityType, requested)) return { figures: noFigures, parents: [] };
  const parent = canonical[entityType === 'payment' ? 'invoice_id' : 'contract_id'];
  const ids = [
    ...(entityType === 'payment' ? [] : [object.id]),
    ...(typeof parent === 'string' ? [parent] : []),
    ...[...named.values()].map(({ id }) => id),
    ...native.values(),
    ...(invoiceNamed === undefined ? [] : [invoiceNamed]),
  ];
  return loadFiguresOf(store, customerId, ids);
}

/** What the object refers to, or will; where a platform lacks the object, also what those refer to. */
async function loadAround(
  store: Store,
  customerId: string,
  { entityType, object, canonical, connected, copies }: CurrentObjectState,
  neighbours: readonly LoadedObject[],
  resolved: ResolvedReferences,
): Promise<ReferredObjects> {
  const referredObjects = new Map(neighbours.map((one) => [one.id, one]));
  // Where the records differ in what they refer to, either may be restated. These were asked for with the object.
  const requested = new Set(object.copies.flatMap(({ references }) => Object.values(references)));
  const load = async (ids: readonly string[]): Promise<void> => {
    const missing = [...new Set(ids)].filter((id) => !referredObjects.has(id) && !requested.has(id));
    if (missing.length === 0) return;
    for (const id of missing) requested.add(id);
    for (const loaded of await loadObjects(store, customerId, missing))
      referredObjects.set(loaded.id, loaded);
  };
  await load([
    ...referenceIds(entityType, canonical),
    ...[...resolved.canonical.values()].map(({ id }) => id),
    ...resolved.native.values(),
    ...(resolved.invoiceNamed === undefined ? [] : [resolved.invoiceNamed]),
  ]);
  if (connected.every(({ platform }) => copies.some((copy) => copy.platform === platform)))
    return referredObjects;
  // A payment's contract is its invoice's; its project is the contract's.
  for (let distance = 0; distance < 2; distance += 1) {
    await load(
      [...referredObjects.values()].flatMap((one) =>
        one.copies.flatMap(({ references }) => Object.values(references)),
      ),
    );
  }
  return referredObjects;
}

function notFound({ entityType, target }: Change): ApiError {
  const what =
    target.format === 'platform'
      ? `${entityType} on ${target.platform} has this ID`
      : `${entityType} has this canonical ID`;
  return new ApiError('NOT_FOUND', `Entity mapping not found: no ${what}`);
}
