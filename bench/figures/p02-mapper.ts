import { deepStrictEqual, notStrictEqual } from 'node:assert';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { EncodeContext, JsonObject } from '@app/mapper';
import type { PortfolioRecord } from '@app/behaviour';
import { translateContract } from '../floors/hand-written/contract';
import { translateInvoice } from '../floors/hand-written/invoice';
import { translatePayment } from '../floors/hand-written/payment';
import type { KnownRecords, Translated } from '../floors/hand-written/translated';
import { jsonataRival } from '../floors/jsonata';
import { morphismRival } from '../floors/morphism';
import { ROOT } from '../harness/children';
import type { Bench, Figure, Mark, Measurement, Repetition } from '../harness/figure';
import { repeat } from '../harness/repeat';
import { geometricMean } from '../harness/statistics';
import { knownRecords, mappedTypes, sampleRecords, type MappedType } from '../portfolio/mapped-records';

/** Currency of a record that names none. */
const CURRENCY = 'USD';

/**
 * P2: a record of platform_a to canonical form and on to platform_b by the mapper, in one thread, against a function that
 * an engineer wrote by hand for this one pair. Both read every field, check it, compute exact minor units, keep what the
 * canonical form does not restore, resolve references and write the other record; their results must be equal, for
 * sound records and for broken ones. Unit: records per second of CPU time. The records are the sample portfolio's, about two
 * kilobytes each. The mark is on the geometric mean of the types.
 *
 * P2j: the same record by JSONata and by a mapping library. What is compared is the record of platform_b alone: neither
 * of them checks anything, computes exact amounts or keeps the residue, so they do less.
 *
 * The mapper is the built one, as the service loads it. Floors are compiled in memory from their sources.
 */
export const mapper: Figure = {
  ids: ['P2', 'P2j'],
  title: 'the mapper against a hand-written function, JSONata and a library',
  run: measure,
};

type Translate = (record: PortfolioRecord) => Translated;

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const rows: Measurement[] = [];
  for (const rival of rivals.filter(({ id }) => bench.wants(id))) {
    const types: Measurement[] = [];
    for (const entityType of mappedTypes) {
      const records = sampleRecords(entityType);
      const known = knownRecords(records);
      const ours = oursFor(entityType, known);
      const theirs = rival.make(entityType, known);
      await rival.check(ours, theirs, records);
      const name = `${rival.name} ${entityType}`;
      const seconds = bench.quick ? 0.2 : 0.6;
      const paired = await repeat(
        bench,
        bench.progress.named(name),
        'rate',
        { floor: () => rateOf(theirs, records, seconds), ours: () => rateOf(ours, records, seconds) },
        { warmUps: 2 },
      );
      types.push({
        name,
        ours: `${entityType} of platform_a to platform_b by the mapper`,
        floor: rival.title,
        unit: 'records/s',
        comparison: 'rate',
        ...paired,
      });
    }
    rows.push(meanOf(rival, types), ...types);
  }
  return rows;
}

/** One row for all types: each repetition is the geometric mean of theirs. */
function meanOf(rival: Rival, types: readonly Measurement[]): Measurement {
  const count = Math.min(...types.map(({ repetitions }) => repetitions.length));
  const mean = (of: (repetition: Repetition) => number, place: number) =>
    geometricMean(types.flatMap(({ repetitions }) => repetitions[place] ?? []).map(of));
  return {
    name: rival.name,
    ours: 'a record of platform_a to platform_b by the mapper, geometric mean of three types',
    floor: rival.title,
    unit: 'records/s',
    comparison: 'rate',
    mark: rival.mark,
    repetitions: Array.from({ length: count }, (_, place) => ({
      floorBefore: mean(({ floorBefore }) => floorBefore, place),
      ours: mean(({ ours }) => ours, place),
      floorAfter: mean(({ floorAfter }) => floorAfter, place),
      ratio: mean(({ ratio }) => ratio, place),
    })),
    voided: types.reduce((sum, { voided }) => sum + voided, 0),
    unsteady: types.some(({ unsteady }) => unsteady),
  };
}

/**
 * Records for each second of this process's CPU time. One thread works, so this is the rate of one core, independent of other
 * load on the machine. Synchronous work is not awaited.
 */
async function rateOf(
  translate: (record: PortfolioRecord) => unknown,
  records: readonly PortfolioRecord[],
  seconds: number,
): Promise<number> {
  const cpu = process.cpuUsage();
  const until = performance.now() + seconds * 1000;
  let done = 0;
  do {
    for (const record of records) {
      const result = translate(record);
      if (result instanceof Promise) await result;
    }
    done += records.length;
  } while (performance.now() < until);
  const { user, system } = process.cpuUsage(cpu);
  return (done / (user + system)) * 1e6;
}

function oursFor(entityType: MappedType, known: KnownRecords): Translate {
  // The build has the types of its sources.
  const { mappingOf } = createRequire(__filename)(
    join(ROOT, 'dist/libs/mapper/src'),
  ) as typeof import('@app/mapper');
  const context = { inheritedCurrency: CURRENCY, localCurrency: CURRENCY };
  const target = mappingOf('platform_b', entityType);
  return ({ payload, variant }) => {
    const decoded = mappingOf('platform_a', entityType, { variant }).decode(payload, context);
    const references: Record<string, NonNullable<EncodeContext['references']>[string]> = {};
    for (const [field, [first]] of Object.entries(decoded.references)) {
      const found = first === undefined ? null : known.get(`${first.refersTo} ${first.value}`);
      if (found !== undefined) references[field] = found;
    }
    const encoded = target.encode(decoded.data, { references, currency: decoded.currency, ...context });
    const { nativeId, data, residue, currency, namesCurrency } = decoded;
    return {
      nativeId,
      data,
      references: decoded.references,
      // A residue is plain JSON, see its type.
      rest: residue as unknown as JsonObject,
      currency,
      namesCurrency,
      payload: encoded.payload,
      issues: [...decoded.issues, ...encoded.issues],
    };
  };
}

interface Rival {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly mark: Mark;
  readonly make: (entityType: MappedType, known: KnownRecords) => (record: PortfolioRecord) => unknown;
  /** @throws when the rival does something else than the mapper */
  readonly check: (
    ours: Translate,
    theirs: (record: PortfolioRecord) => unknown,
    records: readonly PortfolioRecord[],
  ) => Promise<void>;
}

const samePayload: Rival['check'] = async (ours, theirs, records) => {
  for (const record of records) {
    deepStrictEqual(plain(await theirs(record)), plain(ours(record).payload));
  }
};

const rivals: readonly Rival[] = [
  {
    id: 'P2',
    name: 'P2',
    title: 'a hand-written function that does the same',
    mark: { atLeast: 0.6 },
    make: (entityType, known) => byHand[entityType](known),
    check: (ours, theirs, records) => {
      for (const record of [...records, ...records.flatMap(broken)]) {
        const mine = ours(record);
        const other = theirs(record) as Translated; // All of `byHand` return one.
        deepStrictEqual(
          plain({ ...other, issues: placesOf(other) }),
          plain({ ...mine, issues: placesOf(mine) }),
        );
      }
      return Promise.resolve();
    },
  },
  {
    id: 'P2j',
    name: 'P2j JSONata',
    title: 'JSONata for the same mapping, without checks, exact amounts and rest',
    mark: { atLeast: 100 },
    make: jsonataRival,
    check: samePayload,
  },
  {
    id: 'P2j',
    name: 'P2j morphism',
    title: 'morphism for the same mapping, without checks, exact amounts and rest',
    mark: { atLeast: 2 },
    make: morphismRival,
    check: samePayload,
  },
];

const byHand: Readonly<Record<MappedType, (known: KnownRecords) => Translate>> = {
  invoice:
    (known) =>
    ({ payload }) =>
      translateInvoice(payload, CURRENCY, known),
  payment:
    (known) =>
    ({ payload }) =>
      translatePayment(payload, CURRENCY, known),
  contract:
    (known) =>
    ({ payload, variant }) =>
      translateContract(payload, variant, CURRENCY, known),
};

/** A record with something that does not fit, which both have to find. */
function broken(record: PortfolioRecord): readonly PortfolioRecord[] {
  const { payload } = record;
  const spoilt = Object.entries(payload).flatMap(([name, value]): JsonObject[] => {
    if (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value))
      return [{ ...payload, [name]: '2026-02-30' }];
    if (typeof value === 'string' && /^\d+\.\d+$/.test(value)) return [{ ...payload, [name]: '12,50' }];
    return [];
  });
  notStrictEqual(spoilt.length, 0);
  return spoilt.map((changed) => ({ ...record, payload: changed }));
}

function placesOf({ issues }: Translated): readonly string[] {
  return issues.map(({ path }) => path);
}

// Numbers that were kept as they were written are objects, which compare by their text.
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
