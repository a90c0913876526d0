import { storedEntityTypes, type StoredEntityType } from '@app/mapper';

/** How many records of each type a platform has. */
export type Counts = Readonly<Record<StoredEntityType, number>>;

/** What a simulated platform has. */
export interface Portfolio {
  readonly counts: Counts;
  /** Records without anything beside the fields that are mapped. */
  readonly slim?: boolean;
  /** Share of the records of each type that have the same key on both platforms; half of them unless given. */
  readonly linked?: number;
  /** Records that share a colliding key; 20 unless given. */
  readonly sharing?: number;
  /** Whether some records say something else on platform_b: one amount in 25, one note of a payment in 10. */
  readonly disagreeing?: boolean;
}

const shares: Counts = { project: 1, customer: 4, contract: 20, invoice: 35, payment: 40 };

/** Counts that add up to a number of records, in the proportions of a company's books. */
export function countsFor(records: number): Counts {
  const part = (type: StoredEntityType) => Math.max(1, Math.round((records * shares[type]) / 100));
  const others = storedEntityTypes.filter((type) => type !== 'payment').map(part);
  const payments = records - others.reduce((sum, count) => sum + count, 0);
  return {
    project: part('project'),
    customer: part('customer'),
    contract: part('contract'),
    invoice: part('invoice'),
    payment: payments,
  };
}

export function totalOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
