import { SwitchBoard, type SwitchDefinitions } from '../server';

/** What is not confirmed about the ERP, and what differs between companies and tenants. */
export interface PlatformBSwitches {
  recalculatesOnRead: boolean;
  manualCustomerNumbers: boolean;
  manualProjectNumbers: boolean;
  clientSuppliedIds: boolean;
  locationOnCreate: boolean;
  validationOrder: 'body' | 'page';
  staleEtagStatus: 409 | 412;
  duplicateKeyStatus: 409 | 400;
  recordNotFoundStatus: 404 | 400;
  retryAfterOn429: number;
  batchItemsCount: boolean;
  batchErrorCode: 'own' | 'Unknown';
  ieee754Compatible: boolean;
  nullInBodies: 'refused' | 'blank';
  overPreciseAmounts: 'refused' | 'rounded';
  projectWebhooks: boolean;
  emptyPaymentList: 'answered' | 'refused';
  postedInvoiceDelete: 'refused' | 'done';
  replicaLagMs: number;
  readLagMs: number;
  escapedSlashes: 'refused' | 'taken';
  walkKey: 'id' | 'number';
  paymentCurrencyOfOwn: 'blank' | 'code';
  dimensionValues: 'projects' | 'any';
  latencyMs: number;
  requestsPerWindow: number;
  runningAtOnce: number;
  connections: number;
  largestPage: number;
  tokenSeconds: number;
}

export const platformBSwitches: SwitchDefinitions<PlatformBSwitches> = {
  recalculatesOnRead: {
    default: true,
    about:
      'Whether the first reading of a draft distributes its discount and so gives it a new etag and time',
  },
  manualCustomerNumbers: { default: true, about: 'Whether the series of customers lets a number be entered' },
  manualProjectNumbers: { default: true, about: 'Whether the series of projects lets a number be entered' },
  clientSuppliedIds: {
    default: false,
    about: 'Whether a new customer or project may bring its own id (not confirmed)',
  },
  locationOnCreate: { default: false, about: 'Whether a POST answers with Location (not confirmed)' },
  validationOrder: {
    default: 'body',
    values: ['body', 'page'],
    about: 'Whether fields are validated in the order of the body or of the page (not confirmed)',
  },
  staleEtagStatus: {
    default: 409,
    values: [409, 412],
    about: 'Status for an etag that is not the present one (412 not confirmed)',
  },
  duplicateKeyStatus: { default: 409, values: [409, 400], about: 'Status for a key that is taken' },
  recordNotFoundStatus: { default: 404, values: [404, 400], about: 'Status for a record that is not there' },
  retryAfterOn429: {
    default: 0,
    about: 'Seconds in Retry-After of a 429; 0 for no such header (not confirmed)',
  },
  batchItemsCount: {
    default: false,
    about: 'Whether each request in a $batch counts for the limit (not confirmed)',
  },
  batchErrorCode: {
    default: 'own',
    values: ['own', 'Unknown'],
    about: 'The error code of requests that fail in a $batch',
  },
  ieee754Compatible: {
    default: false,
    about: 'Whether Accept: …;IEEE754Compatible=true makes texts of decimals (not confirmed)',
  },
  nullInBodies: {
    default: 'refused',
    values: ['refused', 'blank'],
    about: 'Whether null in a body is refused or means the blank value',
  },
  overPreciseAmounts: {
    default: 'refused',
    values: ['refused', 'rounded'],
    about: 'What happens to an amount with more decimals than its currency has (not confirmed)',
  },
  projectWebhooks: { default: false, about: 'Whether projects can be subscribed to (not confirmed)' },
  emptyPaymentList: {
    default: 'answered',
    values: ['answered', 'refused'],
    about: 'What an unfiltered list of payments gets while there are none (not confirmed)',
  },
  postedInvoiceDelete: {
    default: 'refused',
    values: ['refused', 'done'],
    about: 'What happens to a DELETE of a posted invoice (not confirmed)',
  },
  replicaLagMs: {
    default: 30_000,
    about:
      'How far the replica lags that Data-Access-Intent: ReadOnly reads, simulated milliseconds (not confirmed)',
  },
  readLagMs: {
    default: 0,
    about: 'How far every other reading lags behind writes, simulated milliseconds (not confirmed)',
  },
  escapedSlashes: {
    default: 'refused',
    values: ['refused', 'taken'],
    about: 'What a filter gets in which a value has a slash as %2F',
  },
  walkKey: {
    default: 'id',
    values: ['id', 'number'],
    about: 'The key that lists are walked by where the query asks for no order',
  },
  paymentCurrencyOfOwn: {
    default: 'blank',
    values: ['blank', 'code'],
    about: 'How the custom page shows the local currency',
  },
  dimensionValues: {
    default: 'projects',
    values: ['projects', 'any'],
    about: 'Which dimension values there are: one for each project, or whatever is written',
  },
  latencyMs: { default: 0, about: 'How long each request runs, simulated milliseconds' },
  requestsPerWindow: { default: 6000, about: 'Requests in five minutes, for each client' },
  runningAtOnce: { default: 5, about: 'Requests that run at once, for each client; others queue' },
  connections: { default: 100, about: 'Requests that run or queue, for each client' },
  largestPage: { default: 20_000, about: 'Most records of a page' },
  tokenSeconds: { default: 3599, about: 'How long a token lives' },
};

export type Switches = SwitchBoard<PlatformBSwitches>;

/** The switches at their defaults, but for those given. @throws SwitchError */
export function switchBoard(initial: Partial<PlatformBSwitches> = {}): Switches {
  return new SwitchBoard<PlatformBSwitches>(platformBSwitches, initial);
}
