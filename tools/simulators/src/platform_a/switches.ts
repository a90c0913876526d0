import type { SwitchDefinitions } from '../server';

/** Unconfirmed behaviour of platform_a, what differs between companies, and the sizes of its limits. */
export interface PlatformASwitches {
  bigIds: boolean;
  tokenSeconds: number;
  invalidGrantStatus: 400 | 401;
  unauthorizedBody: 'errors' | 'text';
  projectHeaderMissingStatus: 400 | 404;
  companyHeaderMissingStatus: 400 | 404;
  toolOffStatus: 403 | 404;
  spikeLimit: number;
  hourlyLimit: number;
  rateWindows: 'fixed' | 'rolling';
  rateLimitBody: 'json' | 'text';
  retryAfterOn429: boolean;
  linkOnSinglePage: boolean;
  listOrder: 'oldest_first' | 'newest_first';
  unpagedLists: string;
  totalCountsHidden: boolean;
  rangeEnds: 'both' | 'first' | 'neither';
  unknownFilters: 'ignored' | 'refused';
  unknownFields: 'ignored' | 'refused';
  nullClears: boolean;
  linesInContractLists: boolean;
  projectVendorIds: 'own' | 'company';
  inactiveInDirectories: boolean;
  deletedContractShow: 200 | 404;
  multiCurrency: boolean;
  lockApprovedContracts: boolean;
  uniqueProjectNumbers: boolean;
  uniqueContractNumbers: boolean;
  uniqueInvoiceNumbers: boolean;
  uniqueCheckNumbers: boolean;
  newPaymentStatus: 'pending' | 'unpaid' | 'in_review' | 'approved' | 'processing' | 'paid';
  idempotencyTokens: 'ignored' | 'kept';
  requisitionsShowDueDate: boolean;
  dueDatesTouchRequisition: boolean;
  accountIsAdmin: boolean;
  calculatedLines: 'recomputed' | 'as_sent';
  linesTouchContract: boolean;
  paymentsTouchContract: boolean;
  paymentDeletes: 'hard' | 'hidden';
  syncOrder: 'reversed' | 'as_sent';
  readLagMs: number;
  webhookDelayMs: number;
  webhookDuplicates: boolean;
  webhookDisorder: boolean;
  hooksEndWhenGivenUp: boolean;
}

export const platformASwitches: SwitchDefinitions<PlatformASwitches> = {
  bigIds: { default: false, about: 'Whether new records get IDs beyond 2^53' },
  tokenSeconds: { default: 5400, about: 'Life of an access token' },
  invalidGrantStatus: { default: 401, values: [400, 401], about: 'Status of invalid_grant' },
  unauthorizedBody: {
    default: 'errors',
    values: ['errors', 'text'],
    about: 'Body of a 401: {"errors":"Unauthorized"} or plain text',
  },
  projectHeaderMissingStatus: {
    default: 404,
    values: [400, 404],
    about: 'Status when Procore-Company-Id is missing on a path of a project',
  },
  companyHeaderMissingStatus: {
    default: 400,
    values: [400, 404],
    about: 'Status when Procore-Company-Id is missing on a path of the company',
  },
  toolOffStatus: {
    default: 403,
    values: [403, 404],
    about: 'Status when a tool is off in the project; an edit may say other for one tool',
  },
  spikeLimit: { default: 25, about: 'Requests in 10 seconds; 0 for no limit' },
  hourlyLimit: { default: 600, about: 'Requests in 60 minutes; 0 for no limit' },
  rateWindows: {
    default: 'fixed',
    values: ['fixed', 'rolling'],
    about: 'Whether a window starts with its first request and ends as a whole, or rolls',
  },
  rateLimitBody: { default: 'json', values: ['json', 'text'], about: 'Body of a 429' },
  retryAfterOn429: { default: false, about: 'Whether a 429 has Retry-After' },
  linkOnSinglePage: { default: false, about: 'Whether a list of one page has a Link header' },
  listOrder: {
    default: 'oldest_first',
    values: ['oldest_first', 'newest_first'],
    about: 'Order of lists that nothing sorts',
  },
  unpagedLists: { default: '', about: 'Names of lists that ignore paging, with commas between' },
  totalCountsHidden: { default: false, about: 'Whether Total counts rows that the account may not see' },
  rangeEnds: {
    default: 'both',
    values: ['both', 'first', 'neither'],
    about: 'Which ends of a range of times belong to it',
  },
  unknownFilters: {
    default: 'ignored',
    values: ['ignored', 'refused'],
    about: 'Unknown filters; refused with 400',
  },
  unknownFields: {
    default: 'ignored',
    values: ['ignored', 'refused'],
    about: 'Unknown fields; refused with 406',
  },
  nullClears: { default: true, about: 'Whether null in a PATCH clears a field; else it changes nothing' },
  linesInContractLists: {
    default: false,
    about: 'Whether the extended view of a list of contracts has their lines; a single contract always has',
  },
  projectVendorIds: {
    default: 'own',
    values: ['own', 'company'],
    about: 'Whether a vendor has an ID of its own in each project directory (set at the start)',
  },
  inactiveInDirectories: {
    default: true,
    about: 'Whether a project directory lists vendors that are inactive',
  },
  deletedContractShow: { default: 404, values: [200, 404], about: 'How a deleted contract is shown by ID' },
  multiCurrency: {
    default: false,
    about: 'Whether the company uses several currencies; else contracts are in its own, whatever is sent',
  },
  lockApprovedContracts: {
    default: false,
    about: 'The setting that locks vendor and lines of approved and complete contracts',
  },
  uniqueProjectNumbers: { default: false, about: 'Whether a repeated project number is refused' },
  uniqueContractNumbers: { default: false, about: 'Whether a repeated contract number is refused' },
  uniqueInvoiceNumbers: {
    default: false,
    about: 'Whether a repeated invoice number of a contract is refused',
  },
  uniqueCheckNumbers: {
    default: false,
    about: 'Whether a repeated check number among the payments of a contract is refused',
  },
  newPaymentStatus: {
    default: 'pending',
    values: ['pending', 'unpaid', 'in_review', 'approved', 'processing', 'paid'],
    about: 'Status of a new payment',
  },
  idempotencyTokens: {
    default: 'ignored',
    values: ['ignored', 'kept'],
    about:
      'Whether a POST with an Idempotency-Token that was sent before gets the answer of that one, without effect',
  },
  requisitionsShowDueDate: {
    default: false,
    about: 'Whether invoices show when they are due, which a call of its own sets',
  },
  dueDatesTouchRequisition: {
    default: true,
    about: "Whether that call moves the invoice's updated_at",
  },
  accountIsAdmin: {
    default: true,
    about: 'Whether the account may edit invoices that are not open or not the latest',
  },
  calculatedLines: {
    default: 'recomputed',
    values: ['recomputed', 'as_sent'],
    about: 'Amount of a line whose extended_type is calculated: quantity times unit cost, or as it was sent',
  },
  linesTouchContract: { default: true, about: "Whether a change of lines moves the contract's updated_at" },
  paymentsTouchContract: { default: false, about: "Whether a payment moves the contract's updated_at" },
  paymentDeletes: {
    default: 'hard',
    values: ['hard', 'hidden'],
    about: 'Whether a deleted payment is gone, or only missing from lists and still shown by ID',
  },
  syncOrder: {
    default: 'reversed',
    values: ['reversed', 'as_sent'],
    about: 'Order of entities in the answer of a sync',
  },
  readLagMs: { default: 0, about: 'How long reads lag behind writes, in simulated milliseconds' },
  webhookDelayMs: { default: 1000, about: 'How long after a change its delivery starts' },
  webhookDuplicates: { default: false, about: 'Whether each event is delivered twice' },
  webhookDisorder: { default: false, about: 'Whether waiting events are delivered the newest first' },
  hooksEndWhenGivenUp: {
    default: false,
    about: 'Whether a hook is deleted when its events were dropped after twelve hours of failures',
  },
};
