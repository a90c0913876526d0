import { SeededRandom } from '../server/seeded-random';

/** The platforms that have a record of a thing. */
export type Side = 'both' | 'platform_a' | 'platform_b';

/** A project, customer, contract, invoice or payment, independent of a platform. */
export interface Thing {
  readonly index: number;
  readonly side: Side;
  /** The business key on platform_b, where codes are in upper case. */
  readonly key: string;
  /** The key as it was entered on platform_a. */
  readonly typedKey: string;
}
export interface Project extends Thing {
  readonly name: string;
  readonly active: boolean;
}
export interface Customer extends Thing {
  readonly name: string;
  readonly active: boolean;
}
export interface Contract extends Thing {
  readonly title: string;
  readonly project: Project;
  /** Undefined for some drafts. */
  readonly customer: Customer | undefined;
  readonly kind: 'WorkOrderContract' | 'PurchaseOrderContract';
  readonly approved: boolean;
  /** Whole US dollars, each a multiple of 5,000. */
  readonly lines: readonly number[];
}
export interface Invoice extends Thing {
  readonly contract: Contract;
  readonly customer: Customer;
  /** The number within its contract, from 1. */
  readonly sequence: number;
  readonly approved: boolean;
  /** Percent of each line that it bills. */
  readonly percent: number;
  /** Percent that earlier invoices billed. */
  readonly percentBefore: number;
}
export interface Payment extends Thing {
  readonly invoice: Invoice;
  /** US dollars, a multiple of 25. */
  readonly amount: number;
}
export interface Things {
  readonly projects: readonly Project[];
  readonly customers: readonly Customer[];
  readonly contracts: readonly Contract[];
  readonly invoices: readonly Invoice[];
  readonly payments: readonly Payment[];
}

/** Shares of the special cases. */
const ONLY_ONE_SIDE = 0.02;
const TYPED_IN_LOWER_CASE = 0.05;
const REPEATED = 0.03;
const INACTIVE = 0.06;

/** Generates this number of contracts and everything that belongs to them. Equal seeds give equal results. */
export function makeThings({
  contracts: count,
  projects: projectCount,
  seed,
}: {
  readonly contracts: number;
  readonly projects?: number;
  readonly seed: number;
}): Things {
  const random = new SeededRandom(seed);
  const projects = range(projectCount ?? Math.ceil(count / 40)).map((index) => ({
    ...thing(random, index, 'both', `PRJ-${padded(index, 5)}`),
    name: `${random.pick(places)} ${random.pick(buildings)} ${index + 1}`,
    active: !random.chance(INACTIVE),
  }));
  const customers = range(Math.max(2, Math.ceil(count / 8))).map((index) => ({
    ...thing(random, index, 'both', `5${padded(index * 7919, 9)}`),
    name: `${random.pick(places)} ${random.pick(trades)} ${index + 1} ${random.pick(['WLL', 'LLC', 'Company Ltd'])}`,
    active: !random.chance(INACTIVE),
  }));
  const projectOf = (index: number): Project =>
    (projectCount === undefined ? undefined : projects[index % projects.length]) ?? random.pick(projects);
  const contracts = makeContracts({ random, count, projectOf, customers });
  const invoices = makeInvoices(random, contracts);
  return { projects, customers, contracts, invoices, payments: makePayments(random, invoices) };
}

function makeContracts({
  random,
  count,
  projectOf,
  customers,
}: {
  readonly random: SeededRandom;
  readonly count: number;
  readonly projectOf: (index: number) => Project;
  readonly customers: readonly Customer[];
}): Contract[] {
  const contracts: Contract[] = [];
  for (const index of range(count)) {
    const approved = !random.chance(0.12);
    const project = projectOf(index);
    const customer = !approved && random.chance(0.2) ? undefined : random.pick(customers);
    const kind = random.chance(0.7) ? 'WorkOrderContract' : 'PurchaseOrderContract';
    const last = contracts.at(-1);
    // Only the number repeats: another project has a contract with the same number.
    const key =
      last !== undefined && last.project !== project && random.chance(REPEATED)
        ? last.key
        : `${kind === 'WorkOrderContract' ? 'SC' : 'PO'}-${padded(index, 6)}`;
    const side = customer === undefined ? onlyOn(project.side) : within(project.side, customer.side);
    if (side === undefined) continue;
    contracts.push({
      ...thing(random, index, side, key),
      title: `${random.pick(trades)} package ${index + 1}`,
      project,
      customer,
      kind,
      approved,
      lines: range(random.integer(1, 5)).map(() => 5_000 * random.integer(1, 80)),
    });
  }
  return contracts;
}

function makeInvoices(random: SeededRandom, contracts: readonly Contract[]): Invoice[] {
  const invoices: Invoice[] = [];
  for (const contract of contracts) {
    const { customer } = contract;
    if (!contract.approved || customer === undefined) continue;
    const count = random.integer(0, 4);
    for (const sequence of range(count)) {
      const index = invoices.length;
      invoices.push({
        ...thing(random, index, contract.side, `INV-${padded(index, 7)}`),
        contract,
        customer,
        sequence: sequence + 1,
        approved: sequence + 1 < count || random.chance(0.6),
        percent: 10,
        percentBefore: 10 * sequence,
      });
    }
  }
  return invoices;
}

function makePayments(random: SeededRandom, invoices: readonly Invoice[]): Payment[] {
  const payments: Payment[] = [];
  for (const invoice of invoices) {
    if (!invoice.approved || random.chance(0.3)) continue;
    const index = payments.length;
    const last = payments.at(-1);
    const key = last !== undefined && random.chance(REPEATED) ? last.key : `CHK-${padded(index, 7)}`;
    payments.push({
      ...thing(random, index, invoice.side, key),
      invoice,
      amount: random.chance(0.7) ? dueOfInvoice(invoice) : 25 * Math.floor(dueOfInvoice(invoice) / 50),
    });
  }
  return payments;
}

/** The amount due of an invoice: the work of its period less the tenth that is retained. */
export function dueOfInvoice({ contract, percent }: Invoice): number {
  return contract.lines.reduce((sum, line) => sum + (line * percent * 9) / 1000, 0);
}

function thing(random: SeededRandom, index: number, within: Side, key: string): Thing {
  const only = random.chance(ONLY_ONE_SIDE) && within === 'both';
  return {
    index,
    side: only ? random.pick(['platform_a', 'platform_b'] as const) : within,
    key,
    typedKey: random.chance(TYPED_IN_LOWER_CASE) ? key.toLowerCase() : key,
  };
}

/** The platforms that have both things; undefined if there is none. */
function within(one: Side, other: Side): Side | undefined {
  if (one === 'both' || one === other) return other;
  return other === 'both' ? one : undefined;
}

// A document without a customer cannot be on platform_b.
function onlyOn(side: Side): Side | undefined {
  return side === 'platform_b' ? undefined : 'platform_a';
}

function range(length: number): readonly number[] {
  return Array.from({ length }, (_, index) => index);
}

function padded(number: number, digits: number): string {
  return String(number + 1).padStart(digits, '0');
}

const places = ['Lusail', 'Al Wakrah', 'West Bay', 'Creek Harbour', 'Riffa', 'Salalah', 'Tubli', 'Mesaieed'];
const buildings = [
  'Tower',
  'Cold Store',
  'Medical Centre',
  'Retail Podium',
  'Office Campus',
  'School',
  'Pumping Station',
];
const trades = [
  'Piling',
  'Steel',
  'Precast',
  'Facade',
  'Electrical',
  'Plumbing',
  'Joinery',
  'Earthworks',
  'Roofing',
];
