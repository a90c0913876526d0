import type { Residue } from '../reading/residue';

/** How the record that a reference points at is named on the target. */
export interface TargetReference {
  readonly id?: string | undefined;
  readonly key?: string | undefined;
  /** The residue names another record, so none of its names stays. */
  readonly moved?: true | undefined;
}

/** What encoding knows beside the data. A reference field that is not there keeps what the residue says. */
export interface EncodeContext {
  readonly references?: Readonly<Record<string, TargetReference | null>>;
  readonly residue?: Residue;
  readonly currency: string | undefined;
  readonly localCurrency: string;
  /** Currency of a record that names none; without it, such a record is taken to be in `currency`. */
  readonly inheritedCurrency?: string;
}
