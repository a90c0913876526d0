import { setTimeout as delay } from 'node:timers/promises';
import { platforms, type Platform } from '../customers/portfolio';
import type { OwnType } from './commands';
import type { Body, Defined, ModelCustomer, Places, Shown } from './customer';

/** The name of the field that each type gets. */
export const OWN_FIELD = 'cost_center';

const ownTypes: readonly OwnType[] = ['payment', 'invoice'];

/** The longest time for reading a new field from the stored records, in milliseconds. */
const LONGEST_READING = 60_000;

// On platform_a only documents have custom fields, and an undocumented field of a payment cannot be written.
const places: Readonly<Record<OwnType, readonly [Places, Places]>> = {
  payment: [
    {
      platform_a: { path: 'cost_center', writable: false },
      platform_b: { path: 'costCenter', writable: true },
    },
    {
      platform_a: { path: 'department', writable: false },
      platform_b: { path: 'department', writable: true },
    },
  ],
  invoice: [
    {
      platform_a: { path: 'custom_fields.custom_field_77', writable: true },
      platform_b: { path: 'costCenter', writable: true },
    },
    {
      platform_a: { path: 'custom_fields.custom_field_78', writable: true },
      platform_b: { path: 'department', writable: true },
    },
  ],
};

/** The paths of the field in one of its two definitions. */
export function ownPlaces(type: OwnType, place: number): Places {
  return places[type][place % 2 === 0 ? 0 : 1];
}

/** A native change of the field on a platform. */
export function nativeOwn(path: string, text: string): Body {
  const [first = '', member] = path.split('.');
  return { [first]: member === undefined ? text : { [member]: { value: text } } };
}

/** The value at a path of a platform's record; null if there is none. */
function valueAt(payload: Body, path: string): unknown {
  const value = path.split('.').reduce((object: Body, member) => object?.[member], payload);
  return (typeof value === 'object' ? value?.value : value) ?? null;
}

/**
 * Expects that the latest definitions are in force, that stored records were read for them, and that each object has
 * the value of its first record that has one.
 */
export async function expectOwnFields(customer: ModelCustomer): Promise<void> {
  const listed = await readyFields(customer);
  for (const type of ownTypes) {
    const field = listed.find(({ entity_type: own }) => own === type);
    const answers = customer.defined.filter((one) => one.type === type);
    expect({ type, known: isPossible(field, customer.fields.get(type), answers) }).toEqual({
      type,
      known: true,
    });
    if (field === undefined) customer.fields.delete(type);
    else customer.fields.set(type, field.platforms);
    const records = customer.shown.filter(({ entity_type: own }) => own === type);
    const values = records.map((one) => ({ id: one.canonical_id, value: shownOwn(one) }));
    expect(values).toEqual(
      records.map((one) => ({
        id: one.canonical_id,
        value: field === undefined ? null : ownOf(records, one, field.platforms),
      })),
    );
    if (field === undefined) continue;
    const filled = records.filter(
      (one) => valueAt(one.platform_data, field.platforms[one.platform].path) !== null,
    );
    // The total is counted when the field is defined. It excludes later records, and some records may disappear before
    // they are read.
    expect(field.records.read).toBeLessThanOrEqual(field.records.total);
    if (field.records.filled > 0 || filled.length > 0) customer.service.met.add('own field filled');
  }
  customer.defined.splice(0);
}

const shownOwn = ({ data }: Shown): unknown => data.custom?.[OWN_FIELD] ?? null;

function ownOf(
  records: readonly Shown[],
  { canonical_id: id }: Shown,
  { platform_a, platform_b }: Places,
): unknown {
  const paths: Readonly<Record<Platform, string>> = {
    platform_a: platform_a.path,
    platform_b: platform_b.path,
  };
  const values = platforms.map((platform) => {
    const record = records.find((one) => one.canonical_id === id && one.platform === platform);
    return record === undefined ? null : valueAt(record.platform_data, paths[platform]);
  });
  return values.find((value) => value !== null) ?? null;
}

/** The listed fields, once no field is still being read. */
async function readyFields(customer: ModelCustomer): Promise<readonly Body[]> {
  const end = performance.now() + LONGEST_READING;
  for (let place = 0; ; place += 1) {
    const { status, body } = await customer.client(place).get('/fields');
    expect(status).toBe(200);
    const waiting = body.data.filter((one: Body) => one.status !== 'ready');
    if (waiting.length === 0) return body.data;
    if (performance.now() > end) throw new Error(`The service has not read ${JSON.stringify(waiting)}`);
    await delay(20);
  }
}

/**
 * Whether a listed field may result from the answers of a round. The answer to a removal has no time, so the removal
 * may have been last.
 */
function isPossible(field: Body, before: Places | undefined, answers: readonly Defined[]): boolean {
  const definitions = answers.filter(({ places: some }) => some !== undefined);
  if (field === undefined)
    return answers.length === 0 ? before === undefined : definitions.length < answers.length;
  if (definitions.length === 0)
    return answers.length === 0 && JSON.stringify(field.platforms) === JSON.stringify(before);
  const last = definitions
    .toSorted((one, other) => ((one.since ?? '') < (other.since ?? '') ? -1 : 1))
    .at(-1);
  return last?.since === field.since && JSON.stringify(last?.places) === JSON.stringify(field.platforms);
}
