import type { Leave } from './leaving';

/** The gate is shut for longer than a call would wait. */
export class GateShut extends Error {
  override readonly name = 'GateShut';

  /** @param until when it may be open, by the database's clock */
  constructor(readonly until: Date) {
    super(`The gate is shut until ${until.toISOString()}`);
  }
}

/** A place for one call. */
export interface Permit {
  /** Gives the place back, and hands over what the answer said. Must be called once the call has ended; later calls do nothing. */
  leave(facts: Leave['facts']): void;
}
