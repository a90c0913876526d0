import type { SourceRecord } from '../../connector';
import type { Query, Session } from '../wire/session';
import type { ContractMarks, PartState } from './position';
import type { VendorDirectory } from './vendor-directory';

/** Some records of a part. */
export interface PartPage {
  readonly records: readonly SourceRecord[];
  /** Where the part goes on after them. */
  readonly state: PartState;
  /** What of the part could not be read, in words; nothing is concluded from an absence in it then. */
  readonly gaps: readonly string[];
  /** The marks of contracts that were read, or need not be; for payments of those whose payments were. */
  readonly marks?: ContractMarks;
}

/** What a part is read with. */
export interface PartReader {
  readonly session: Session;
  readonly vendors: VendorDirectory;
  /** The project; empty for a scope of the company. */
  readonly part: string;
  /** The range of times in which records changed that are wanted; undefined for all records. */
  readonly changed: string | undefined;
  /** The beginning of that range: ISO 8601, by the platform's clock. */
  readonly since: string | undefined;
  /**
   * The mark of each contract of the project as of the reading before: when it was read itself, for payments when these
   * were. Undefined where that is not known.
   */
  readonly marks: ContractMarks | undefined;
  /** For payments: the marks of all contracts of the project as the same run has read them; undefined where it has not. */
  readonly contracts: ContractMarks | undefined;
}

export type ReadPart = (reader: PartReader, from: PartState) => AsyncGenerator<PartPage, void, undefined>;

/** Contracts that are completed between two pages; each may take a call of its own. */
export const CHUNK = 20;

/** The filter of a list to what changed within a range of times; none for all. */
export function changedWithin(range: string | undefined): Query {
  return range === undefined ? [] : [['filters[updated_at]', range]];
}
