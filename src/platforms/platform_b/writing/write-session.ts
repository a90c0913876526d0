import { stringifyJson, type JsonObject } from '@app/mapper';
import type { WriteOutcome } from '../../connector';
import { ApiError } from '../../../common/errors/api-error';
import { NotPermitted } from '../reading/records-in';
import { WriteProgress } from '../../live/write-progress';
import type { Session } from '../session';
import { reasonOf, retryTime } from './retry-time';
import { sendResultOf, UNCERTAIN, type SendResult } from './send-result';

/** The pauses of a write that waits for a record to show its effect. */
export interface RereadPauses {
  /** Milliseconds before each further read of a record that still shows the old state. */
  readonly pauses: readonly number[];
  /** Waits. @throws the signal's reason */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Sends the calls of one write and remembers whether one of them may have had an effect. */
export class WriteSession {
  /** The effects of the write so far. */
  readonly progress = new WriteProgress();

  /** Whether the platform has accepted a call. */
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

  /** Whether the platform has accepted a call. Later failures then leave the outcome uncertain. */
  get hasSent(): boolean {
    return this.open;
  }

  /** Sends one writing call. The result is all that is known of its effect. */
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

  /** The time of the next attempt. */
  retryTime(): Date {
    return retryTime(this.now());
  }

  private deferred(reason: string): WriteOutcome {
    return { status: 'deferred', until: this.retryTime(), reason };
  }

  /** The outcome of a failure between the calls; undefined for an error that is not the platform's. */
  outcomeOf(error: unknown): WriteOutcome | undefined {
    const reason = reasonOf(error);
    if (reason === undefined && !this.signal.aborted) return undefined;
    if (this.open) return { status: 'uncertain' };
    if (reason === undefined) return { status: 'deferred', until: this.now() };
    return error instanceof NotPermitted ? { status: 'rejected', reason } : this.deferred(reason);
  }
}

/**
 * Runs a write to its outcome. A failure before anything was sent defers the write. A later failure, of a read-back
 * for instance, leaves the outcome uncertain.
 *
 * @throws errors that neither the platform nor the network causes
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
