import { stringifyJson, type JsonObject } from '@app/mapper';
import type { WriteOutcome } from '../../connector';
import { ApiError } from '../../../common/errors/api-error';
import { NotPermitted } from '../reading/records-in';
import { WriteProgress } from '../../live/write-progress';
import type { Session } from '../session';
import { reasonOf, retryTime } from './retry-time';
import { sendResultOf, UNCERTAIN, type SendResult } from './send-result';

/** How a write waits for what the platform shows late. */
export interface RereadPauses {
  /** Milliseconds before each further look at a record that is shown as it was before. */
  readonly pauses: readonly number[];
  /** Waits so many milliseconds. @throws the signal's reason */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The calls of one write. Knows whether one of them may have had an effect. */
export class WriteSession {
  /** What the write has made by now. */
  readonly progress = new WriteProgress();

  /** Whether the platform has taken a call. */
  private open = false;

  constructor(
    readonly session: Session,
    private readonly now: () => Date,
    readonly signal: AbortSignal,
    private readonly reread: RereadPauses,
  ) {}

  get pauses(): readonly number[] {
    return this.reread.pauses;
  }

  pause(ms: number): Promise<void> {
    return this.reread.sleep(ms, this.signal);
  }

  /** Whether a call was taken: what happens from then on is no longer as if nothing had been sent. */
  get hasSent(): boolean {
    return this.open;
  }

  /** Sends one call that writes. Nothing else is known of its effect than what is returned. */
  async send(
    method: 'POST' | 'PATCH',
    url: string,
    body: JsonObject,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<SendResult> {
    this.progress.noteCall();
    try {
      const result = await this.session.send({
        kind: 'write',
        method,
        url,
        headers,
        body: { type: 'json', text: stringifyJson(body) },
        signal: this.signal,
      });
      const sent = sendResultOf(result, this.now());
      this.open ||= sent.kind === 'done';
      return sent;
    } catch (error) {
      if (this.signal.aborted) return UNCERTAIN;
      if (!(error instanceof ApiError)) throw error;
      return { kind: 'ended', outcome: this.deferred(error.message) };
    }
  }

  time(): Date {
    return this.now();
  }

  /** The time for what is to be tried again. */
  retryTime(): Date {
    return retryTime(this.now());
  }

  private deferred(reason: string): WriteOutcome {
    return { status: 'deferred', until: this.retryTime(), reason };
  }

  /** What a failure between the calls comes to; undefined for one that is none of the platform's. */
  outcomeOf(error: unknown): WriteOutcome | undefined {
    const reason = reasonOf(error);
    if (reason === undefined && !this.signal.aborted) return undefined;
    if (this.open) return { status: 'uncertain' };
    if (reason === undefined) return { status: 'deferred', until: this.now() };
    return error instanceof NotPermitted ? { status: 'rejected', reason } : this.deferred(reason);
  }
}

/**
 * Runs a write to its outcome. What fails before anything was sent is put off; what fails later, a read-back for
 * instance, leaves the outcome unknown.
 *
 * @throws what neither the platform nor the network does
 */
export async function runWrite(
  open: () => Promise<Session>,
  now: () => Date,
  signal: AbortSignal,
  patience: RereadPauses,
  work: (writer: WriteSession) => Promise<WriteOutcome>,
): Promise<WriteOutcome> {
  let session: Session;
  try {
    session = await open();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: 'deferred', until: retryTime(now()), reason: error.message };
  }
  const writer = new WriteSession(session, now, signal, patience);
  try {
    return writer.progress.withProgress(await work(writer));
  } catch (error) {
    const outcome = writer.outcomeOf(error);
    if (outcome === undefined) throw error;
    return writer.progress.withProgress(outcome);
  }
}
