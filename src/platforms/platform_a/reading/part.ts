import type { SourceRecord } from '../../connector';
import type { Query, Session } from '../wire/session';
import type { ContractMarks, PartState } from './position';
import type { VendorDirectory } from './vendor-directory';

/** Some records of a part. */
export interface PartPage {
  readonly records: readonly SourceRecord[];
  /** The position in the part after these records. */
  readonly state: PartState;
  /** What could not be read of the part, in words. If there is a gap, the absence of a record proves nothing. */
  readonly gaps: readonly string[];
  /**
   * The marks of contracts that were read or did not need to be read; for payments, of contracts whose payments were.
   */
  readonly marks?: ContractMarks;
}

/** The session and data with which a part is read. */
export interface PartReader {
  readonly session: Session;
  readonly vendors: VendorDirectory;
  /** The project; empty for a scope of the company. */
  readonly part: string;
  /** The range of change times of the wanted records; undefined for all records. */
  readonly changed: string | undefined;
  /** The start of that range: ISO 8601, by the platform's clock. */
  readonly since: string | undefined;
  /**
   * The mark of each contract of the project as of the previous reading: when the contract was read, or for payments
   * when its payments were read. Undefined if the marks are not known.
   */
  readonly marks: ContractMarks | undefined;
  /**
   * For payments: the marks of all contracts of the project, as the same run has read them; undefined if it has not.
   */
  readonly contracts: ContractMarks | undefined;
}

export type ReadPart = (reader: PartReader, from: PartState) => AsyncGenerator<PartPage, void, undefined>;

/** Contracts that are completed between two pages. Each may take a call of its own. */
export const CHUNK = 20;

/** The list filter for records that changed within a range of times; empty for all records. */
export function changedWithin(range: string | undefined): Query {
  return range === undefined ? [] : [['filters[updated_at]', range]];
}
