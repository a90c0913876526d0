/** The header of an answer that was given before. */
export const REPLAYED = 'Idempotent-Replayed';

/** An answer that is kept under a key of its client: text that goes out as it is, with the status that it had. */
export class KeptAnswer {
  /**
   * @param text JSON, without the envelope
   * @param isReplay whether it was given before
   */
  constructor(
    readonly text: string,
    readonly status: number,
    readonly isReplay: boolean,
  ) {}
}
