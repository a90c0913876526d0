import {
  assembleObject,
  businessKeyOf,
  fieldsOf,
  mappingOf,
  ownMember,
  sameJson,
  stringifyJson,
  type Conversion,
  type JsonObject,
  type JsonValue,
  type PlatformName,
} from '@app/mapper';
import type { Store } from '../database/store';
import { randomUUID } from 'node:crypto';
import type { Connectors } from '../connectors/registry';
import type { WriteOutcome } from '../connectors/connector';
import type { PlatformWrite } from './platform-write';
import { columnsOf, nativeOrder, referenceColumns, type ReferenceField } from '../records/incoming-record';
import type { LoadedObject, StoredCopy } from '../records/stored-objects';
import {
  inPrecedence,
  planForCopy,
  planForCreation,
  type PlannedChange,
  type PlatformPlan,
} from './platform-plan';
import { isKeyTaken, type ChangedRecord } from './propagations.repository';
import type { Referred } from './referred-objects';
import { referredPayloads } from './referred-payloads';
import { untranslatable } from './refusals';
import type { Scene } from './scene';
import type { Wanted } from './wanted';

/** What is to happen on each connected platform, in order of precedence. */
export type Plans = ReadonlyMap<PlatformName, PlatformPlan>;

/** Plans a change for every connected platform. */
export async function planEverywhere(
  store: Store,
  customerId: string,
  scene: Scene,
  wanted: Wanted,
  referred: Referred,
): Promise<Plans> {
  const { entityType, object, copies, connected, origin, quotes } = scene;
  const change: PlannedChange = {
    entityType,
    values: wanted.values,
    next: referred.completed,
    quotes,
    referred: referred.objects,
    pathOf: wanted.pathOf,
  };
  const plans = new Map<PlatformName, PlatformPlan>();
  for (const { platform, currency } of connected) {
    const state = copies.find((copy) => copy.platform === platform);
    if (state !== undefined && state === origin) plans.set(platform, planForOrigin(scene, wanted, referred));
    else if (state !== undefined) plans.set(platform, planForCopy(change, state));
    else if (wanted.values.size === 0)
      plans.set(platform, { kind: 'skipped', reason: notThere(scene, platform) });
    else {
      const key = businessKeyOf(entityType, wanted.next);
      const taken =
        key !== undefined &&
        (await isKeyTaken(store, customerId, entityType, key.normal, object.id, [platform]));
      plans.set(
        platform,
        taken
          ? {
              kind: 'skipped',
              reason: `another ${entityType} on ${platform} has the same ${key.field} already`,
            }
          : planForCreation(change, platform, currency),
      );
    }
  }
  return plans;
}

function notThere({ entityType }: Scene, platform: PlatformName): string {
  return `${platform} has no such ${entityType}; a change of a canonical field would create it there`;
}

// The platform the change was made for gets it in its own terms, to the letter.
function planForOrigin(
  { origin, entityType }: Scene,
  { native, next }: Wanted,
  referred: Referred,
): PlatformPlan {
  if (origin === undefined || native === undefined || native.changes.length === 0)
    return { kind: 'unchanged' };
  const write: PlatformWrite = {
    platform: origin.platform,
    entityType,
    variant: origin.copy.variant,
    current: origin.copy.payload,
    changes: native.changes,
    referred: referredPayloads(origin.platform, entityType, next, referred.objects),
  };
  return { kind: 'write', write };
}

/** What happened on one platform. */
export interface PlatformOutcome {
  readonly platform: PlatformName;
  readonly status: 'applied' | 'unchanged' | 'rejected' | 'skipped';
  readonly copy: StoredCopy | undefined;
  readonly reason: string | undefined;
  readonly conversion: Conversion | undefined;
  /** Native paths that were written. */
  readonly written: readonly string[];
}

/** A change, carried out: ready to be stored and told. */
export interface Applied {
  readonly changesAnything: boolean;
  readonly outcomes: readonly PlatformOutcome[];
  readonly after: LoadedObject;
  readonly object: JsonObject;
  readonly updatedFields: readonly string[];
  readonly extra: JsonObject;
  readonly records: readonly ChangedRecord[];
  /** What is kept of the outcomes. */
  readonly account: JsonObject;
}

/** Carries the plans out and works out what the object is then. */
export async function applyPlans(
  store: Store,
  customerId: string,
  scene: Scene,
  wanted: Wanted,
  plans: Plans,
  referred: Referred,
  connectors: Connectors,
): Promise<Applied> {
  const outcomes: PlatformOutcome[] = [];
  for (const [platform, plan] of plans) {
    const outcome = await send(store, customerId, scene, platform, plan, connectors);
    outcomes.push(carryOut(scene, wanted, referred, platform, plan, outcome));
  }
  const written = outcomes.filter(({ status }) => status === 'applied');
  const untouched = scene.object.copies.filter(
    (copy) => !written.some(({ platform }) => platform === copy.platform),
  );
  const copies = inPrecedence([...untouched, ...written.flatMap(({ copy }) => (copy ? [copy] : []))]);
  const extra = extraValues(scene, wanted, copies);
  const after: LoadedObject = { ...scene.object, copies, extra };
  const { object } = assembleObject(after, scene.quotes.customer);
  refuseLostWords(scene, wanted, object);
  const updatedFields = [...wanted.values.keys()].filter(
    (field) => !sameJson(ownMember(object, field) ?? null, ownMember(scene.canonical, field) ?? null),
  );
  return {
    changesAnything: written.length > 0 || !sameJson(extra, scene.object.extra),
    outcomes,
    after,
    object,
    updatedFields,
    extra,
    records: written.flatMap(({ copy }) => (copy ? [changedRecord(scene, copy)] : [])),
    account: Object.fromEntries(outcomes.map((outcome) => [outcome.platform, accountOf(outcome)])),
  };
}

function carryOut(
  { entityType, copies, connected }: Scene,
  { values }: Wanted,
  { completed, objects }: Referred,
  platform: PlatformName,
  plan: PlatformPlan,
  outcome: WriteOutcome | undefined,
): PlatformOutcome {
  const present = copies.find((state) => state.platform === platform);
  const base = { platform, copy: present?.copy, reason: plan.reason, conversion: undefined, written: [] };
  if (plan.kind !== 'write') return { ...base, status: plan.kind };
  if (outcome?.status === 'rejected') return { ...base, status: 'rejected', reason: outcome.reason };
  if (outcome?.status !== 'applied') throw new Error(`${platform} did not decide at once`);
  // The platform may take a write and keep what it has: a code that differs in case alone.
  if (present && sameJson(outcome.payload, present.copy.payload)) return { ...base, status: 'unchanged' };

  const mapping = mappingOf(platform, entityType, { variant: plan.write.variant });
  const context = present?.copy ?? contextOfNew(connected, platform, plan.inheritedCurrency);
  const decoded = mapping.decode(outcome.payload, context);
  const references: Record<string, string> = {};
  for (const field of Object.keys(referenceColumns)) {
    if ((decoded.references[field] ?? []).length === 0) continue;
    const id = values.has(field) ? values.get(field) : (present?.copy.references[field] ?? completed[field]);
    if (typeof id === 'string') references[field] = id;
  }
  return {
    ...base,
    status: 'applied',
    conversion: plan.conversion,
    written: plan.write.changes.map(({ path }) => path.join('.')),
    copy: {
      platform,
      platformId: present?.copy.platformId ?? decoded.nativeId ?? '',
      variant: plan.write.variant,
      payload: outcome.payload,
      payloadText: stringifyJson(outcome.payload),
      inheritedCurrency: context.inheritedCurrency,
      localCurrency: context.localCurrency,
      references,
      ...(entityType === 'payment' && {
        told: { invoice_number: invoiceNumber(objects, references, platform) },
      }),
    },
  };
}

async function send(
  store: Store,
  customerId: string,
  { entityType, copies }: Scene,
  platform: PlatformName,
  plan: PlatformPlan,
  connectors: Connectors,
): Promise<WriteOutcome | undefined> {
  if (plan.kind !== 'write') return undefined;
  const { local } = connectors.connectorFor({ customerId, platform });
  if (local === undefined) throw new Error(`${platform} does not take writes at once`);
  const { variant, changes, referred } = plan.write;
  const present = copies.find((state) => state.platform === platform);
  return local.submitWithin(store, {
    id: randomUUID(),
    customerId,
    platform,
    entityType,
    variant,
    platformId: present?.copy.platformId ?? null,
    ifMatch: null,
    changes,
    referred,
  });
}

function contextOfNew(
  connected: Scene['connected'],
  platform: PlatformName,
  inherited: string | undefined,
): Pick<StoredCopy, 'inheritedCurrency' | 'localCurrency'> {
  const connection = connected.find((candidate) => candidate.platform === platform);
  if (connection === undefined) throw new Error(`${platform} was written to and is not connected`);
  return { inheritedCurrency: inherited ?? connection.currency, localCurrency: connection.currency };
}

// The same that a later read finds: the number of the invoice on the payment's own platform.
function invoiceNumber(
  objects: Referred['objects'],
  { invoice_id }: Readonly<Record<string, string>>,
  platform: PlatformName,
): string | null {
  const invoice = invoice_id === undefined ? undefined : objects.get(invoice_id);
  const copy = invoice?.copies.find((candidate) => candidate.platform === platform);
  if (copy === undefined) return null;
  const { number } = mappingOf(platform, 'invoice').decode(copy.payload, copy).data;
  return typeof number === 'string' ? number : null;
}

/** Values that were written and that no platform's record shows: none has the field, or its words are too coarse. */
function extraValues(scene: Scene, { values, next }: Wanted, copies: readonly StoredCopy[]): JsonObject {
  const extra: Record<string, JsonValue> = { ...scene.object.extra };
  for (const field of values.keys()) delete extra[field];
  const { object } = assembleObject({ ...scene.object, copies, extra });
  for (const field of values.keys()) {
    const intended = ownMember(next, field) ?? null;
    const shown = ownMember(object, field) ?? null;
    if (intended === null || sameJson(intended, shown)) continue;
    const words = fieldsOf(scene.entityType)[field]?.words !== undefined;
    if (shown === null || words) extra[field] = intended;
  }
  return extra;
}

/**
 * Refuses a word that would be gone with the next read, because the platform whose word counts has none for it.
 *
 * @throws ApiError 422 naming the field
 */
function refuseLostWords(scene: Scene, { values, next, pathOf }: Wanted, object: JsonObject): void {
  for (const field of values.keys()) {
    if (fieldsOf(scene.entityType)[field]?.words === undefined) continue;
    const shown = ownMember(object, field) ?? null;
    if (sameJson(shown, ownMember(next, field) ?? null)) continue;
    const wanted = stringifyJson(values.get(field));
    throw untranslatable([
      {
        path: pathOf(field),
        problem: `the platforms cannot hold ${wanted}; they show ${stringifyJson(shown)}`,
      },
    ]);
  }
}

function changedRecord({ entityType, object }: Scene, copy: StoredCopy): ChangedRecord {
  const mapping = mappingOf(copy.platform, object.entityType, { variant: copy.variant });
  const references: Partial<Record<ReferenceField, string>> = {};
  for (const field of Object.keys(referenceColumns) as ReferenceField[]) {
    const id = copy.references[field];
    if (id !== undefined) references[field] = id;
  }
  return {
    platform: copy.platform,
    entity_type: entityType,
    platform_id: copy.platformId,
    native_order: nativeOrder(copy.platformId),
    variant: copy.variant,
    ...columnsOf(entityType, mapping.decode(copy.payload, copy)),
    payload: copy.payloadText,
    references,
  };
}

function accountOf({ status, reason, conversion, copy }: PlatformOutcome): JsonObject {
  return {
    status,
    ...(copy && { platform_id: copy.platformId }),
    ...(reason !== undefined && { reason }),
    ...(conversion && { conversion: { ...conversion } }),
  };
}
