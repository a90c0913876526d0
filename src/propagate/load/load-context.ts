import { assembleFields, inPrecedence, type NativeReference, type PlatformName } from '@app/mapper';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import type { CustomerTransaction } from '../../database/transaction/store';
import { ApiError } from '../../common/errors/api-error';
import { loadObjects, loadWithNeighbours } from '../../records/objects/stored-objects.repository';
import type { LoadedObject } from '../../records/loaded-object';
import { lookupsOf, readRequestedChange } from '../plan/context/requested-change';
import { quoteOf, type Change } from '../plan/intent/change';
import type {
  RequestedChange,
  ChangeContext,
  ResolvedReferences,
  CurrentObjectState,
} from '../plan/context/change-context';
import { copyState } from '../plan/state/copy-state';
import { noneExpected } from '../plan/state/expected-record';
import { changesFigures, figuresWanted, noFigures, type Figures } from '../plan/context/figures';
import { referenceIds, type ReferredObjects } from '../plan/state/referred';
import { loadComing } from './coming-records';
import { loadExpected } from './expected-records.repository';
import { loadFigures, loadFiguresOf } from './figures.repository';
import type { LookupsRepository } from './lookups.repository';
import { lockObject, targetSql } from './locked-object.repository';
import { loadChangeConditions } from './change-conditions.repository';

/**
 * Locks the object of a change and loads everything that the plan of the change depends on.
 *
 * @throws ApiError NOT_FOUND if the object does not exist, AUTHENTICATION_ERROR if the customer was deleted
 * @throws ChangeRefused `untranslatable` for a rate or a patch that cannot be used, `not_writable` for fields that cannot
 *   be written
 */
export async function loadContext(
  tx: CustomerTransaction,
  lookups: LookupsRepository,
  change: Change,
): Promise<ChangeContext> {
  const { state, neighbours, hasCreations, present } = await loadObjectState(tx, change);
  const requested = readRequestedChange(state, change);
  const named = await resolveNames(tx, lookups, state, requested);
  // Lock order: objects before keys.
  const { figures, parents } = present ?? (await figuresAround(tx, state, requested, named));
  const resolved = { ...named, keyTakenOn: await platformsWithKey(tx, lookups, state, requested) };
  const referredObjects = await loadReferredObjects(tx, state, [...neighbours, ...parents], resolved);
  const expected = hasCreations ? await loadExpected(tx, referredObjects, state.connected) : noneExpected;
  return { ...state, requested, resolved, referredObjects, expected, figures };
}

/** The records that are added up, and their parents, which were read again after they were locked. */
interface FoundFigures {
  readonly figures: Figures;
  readonly parents: readonly LoadedObject[];
}

async function loadObjectState(
  tx: CustomerTransaction,
  change: Change,
): Promise<{
  readonly state: CurrentObjectState;
  /** The objects to which the changed object refers now. */
  readonly neighbours: readonly LoadedObject[];
  /** Whether the customer has a record that is still to be created. */
  readonly hasCreations: boolean;
  /** Undefined if the figures must be read at the object's new parent. */
  readonly present: FoundFigures | undefined;
}> {
  const { entityType, target } = change;
  const sql = targetSql(entityType, target);
  const wanted = figuresWanted(change);
  // All statements share one round trip, and each runs separately after the locks, because the previous holders may
  // have changed the values. Under the customer's lock no object moves, so all statements find the same object. Open
  // commands are read before the records, so a record that is created between the two reads is among the records.
  const [id, figures, around, loaded] = await Promise.all([
    lockObject(tx, entityType, sql),
    // This comes before the neighbours, because it locks the objects that the change's amount is compared with.
    wanted === 'present' ? loadFigures(tx, entityType, sql) : noFigures,
    loadChangeConditions(tx, sql),
    loadWithNeighbours(tx, sql.id, sql.parameters),
  ]);
  const { at, comparisonsAreDue, connections, terms, earlier, hasCreations, goneFrom } = around;
  if (!around.customerExists) throw new CustomerDeleted();
  const object = loaded.find((one) => one.id === id);
  if (object === undefined) throw notFound(change);
  const copies = object.copies.map((copy) => copyState(copy, entityType, terms.own));
  // The object's lock is held, so pending creations cannot complete meanwhile.
  const coming = earlier.some(({ creates, held }) => creates && !held) ? await loadComing(tx, object) : [];
  const origin =
    target.format === 'platform'
      ? copies.find(({ copy }) => copy.platform === target.platform && copy.platformId === target.platformId)
      : undefined;
  const state = {
    at,
    comparisonsAreDue,
    entityType,
    object,
    canonical: assembleFields(object, undefined, terms),
    copies,
    connected: inPrecedence(connections),
    quotes: { request: quoteOf(change), customer: terms.rates },
    terms,
    origin,
    earlier,
    coming: coming.map((copy) => copyState(copy, entityType, terms.own)),
    goneFrom,
  };
  return {
    state,
    neighbours: loaded.filter((one) => one !== object),
    hasCreations,
    present: wanted === 'moved' ? undefined : { figures, parents: [] },
  };
}

/** The objects that a change names, before its business key is looked up. */
type NamedObjects = Omit<ResolvedReferences, 'keyTakenOn'>;

async function resolveNames(
  tx: CustomerTransaction,
  lookups: LookupsRepository,
  state: CurrentObjectState,
  requested: RequestedChange,
): Promise<NamedObjects> {
  const { origin } = state;
  const { canonicalIds, invoiceNumber } = lookupsOf(state, requested);
  const named = [...requested.references].filter(
    (entry): entry is [string, NativeReference] => entry[1] !== undefined,
  );
  const ids =
    origin === undefined
      ? []
      : await lookups.findReferred(
          tx,
          origin.platform,
          named.map(([, reference]) => reference),
        );
  return {
    canonical: await lookups.findCanonical(tx, canonicalIds),
    native: new Map(
      named.flatMap(([field], place): [string, string][] => {
        const id = ids[place];
        return id === undefined ? [] : [[field, id]];
      }),
    ),
    invoiceNamed: invoiceNumber === undefined ? undefined : await lookups.findInvoice(tx, invoiceNumber),
  };
}

async function platformsWithKey(
  tx: CustomerTransaction,
  lookups: LookupsRepository,
  state: CurrentObjectState,
  requested: RequestedChange,
): Promise<ResolvedReferences['keyTakenOn']> {
  const { entityType, object, connected, copies } = state;
  const { key } = lookupsOf(state, requested);
  if (key === undefined) return new Set<PlatformName>();
  const platforms = [...new Set([...copies, ...connected].map(({ platform }) => platform))];
  return lookups.keyTakenOn(tx, entityType, key.normal, object.id, platforms);
}

/** The figures for a change that moves the object to another parent: those of the previous and of the new parent. */
async function figuresAround(
  tx: CustomerTransaction,
  { entityType, object, canonical }: CurrentObjectState,
  requested: RequestedChange,
  { canonical: named, native, invoiceNamed }: NamedObjects,
): Promise<FoundFigures> {
  if (!changesFigures(entityType, requested)) return { figures: noFigures, parents: [] };
  // Lock order: a change of an invoice locks it before its contract, so a payment locks no contract that it names beside its invoice.
  const field = entityType === 'payment' ? 'invoice_id' : 'contract_id';
  const moved = requested.fields.get(field);
  const parents = [
    canonical[field],
    typeof moved === 'string' ? named.get(moved)?.id : undefined,
    native.get(field),
    invoiceNamed,
  ].filter((id) => typeof id === 'string');
  return loadFiguresOf(tx, entityType === 'payment' ? parents : [object.id, ...parents]);
}

/**
 * Loads the objects to which the object refers now or after the change. If a platform lacks the object, it also loads
 * the objects to which those refer.
 */
async function loadReferredObjects(
  tx: CustomerTransaction,
  { entityType, object, canonical, connected, copies }: CurrentObjectState,
  neighbours: readonly LoadedObject[],
  resolved: ResolvedReferences,
): Promise<ReferredObjects> {
  const referredObjects = new Map(neighbours.map((one) => [one.id, one]));
  // The neighbours were loaded by the references of every record, not only by the canonical ones: if the records differ
  // in a reference, either value may be written again.
  const tried = new Set(object.copies.flatMap(({ references }) => Object.values(references)));
  const load = async (ids: readonly string[]): Promise<void> => {
    const missing = [...new Set(ids)].filter((id) => !referredObjects.has(id) && !tried.has(id));
    if (missing.length === 0) return;
    for (const id of missing) tried.add(id);
    for (const loaded of await loadObjects(tx, missing)) referredObjects.set(loaded.id, loaded);
  };
  await load([
    ...referenceIds(entityType, canonical),
    ...[...resolved.canonical.values()].map(({ id }) => id),
    ...resolved.native.values(),
    ...(resolved.invoiceNamed === undefined ? [] : [resolved.invoiceNamed]),
  ]);
  if (connected.every(({ platform }) => copies.some((copy) => copy.platform === platform)))
    return referredObjects;
  // A payment's contract is its invoice's contract; its project is the contract's project.
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
