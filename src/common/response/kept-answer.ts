/** The header of a replayed response. */
export const REPLAYED = 'Idempotent-Replayed';

/** A response that is stored under a client's key: text that is sent unchanged, with its original status. */
export class KeptAnswer {
  /**
   * @param text JSON, without the envelope
   * @param isReplay whether it was sent before
   */
  constructor(
    readonly text: string,
    readonly status: number,
    readonly isReplay: boolean,
  ) {}
}
