import { isJsonArray, isJsonObject, type JsonObject } from '@app/mapper';
import type { PlatformResponse } from '../../live/platform-response';
import type { PlatformResult } from '../../live/platform-result';
import { platformErrorOf } from '../../live/transport/result-error';
import type { PlatformError } from '../../platform-error';
import { gatewayNotFound } from './gateway-not-found';
import { withTextIds } from './ids';
import { nextIn } from './link-header';
import type { Session } from './session';

/**
 * A part of the platform that cannot be read or does not exist: a disabled tool, a project of other users, a deleted
 * record.
 */
export class NotReadable extends Error {
  override readonly name = 'NotReadable';

  /**
   * @param why in words, or the status
   * @param failure set if the answer is a gateway's: a failure of the platform for all that depends on a certain answer
   */
  constructor(
    readonly status: number,
    readonly why: string = String(status),
    readonly failure?: PlatformError,
  ) {
    super(`Not readable (${why})`);
  }
}

/** The reason for a list that changed between its first page and its last. */
export const CHANGED = 'its list changed while it was read';

/** A list that changed between its first page and its last: a record that it did not show may be there. */
export class ListChanged extends NotReadable {
  constructor() {
    super(200, CHANGED);
  }
}

/**
 * The refusal of the platform itself.
 *
 * @throws the error if it is no refusal; PlatformError for a gateway's answer
 */
export function ownRefusal(error: unknown): NotReadable {
  if (!(error instanceof NotReadable)) throw error;
  if (error.failure !== undefined) throw error.failure;
  return error;
}

/** One page of a list, as it was answered. */
export interface AnsweredPage {
  readonly rows: readonly JsonObject[];
  /** The address of the next page; undefined on the last one. */
  readonly next: string | undefined;
  /** Rows of the whole list; undefined where the platform does not say. */
  readonly total: number | undefined;
}

/** A body that is cut or a gateway's page may be whole the next time. */
const ATTEMPTS = 3;

/**
 * Reads one page of a list.
 *
 * @throws NotReadable for 403 and 404; PlatformError for anything else that is no list
 */
export async function readPage(session: Session, url: string): Promise<AnsweredPage> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await session.get(url);
    const status = refusedWith(result);
    if (status === 403 || status === 404) {
      const failure = gatewayNotFound(session.connection.platform, result);
      throw new NotReadable(status, String(status), failure);
    }
    const page =
      result.kind === 'answered' && result.response.ok ? pageIn(session, result.response) : undefined;
    if (page !== undefined) return page;
    const isNonsense = result.kind === 'answered' && result.response.ok;
    if (!isNonsense || attempt >= ATTEMPTS) throw platformErrorOf(session.connection.platform, result);
  }
}

function refusedWith(result: PlatformResult): number | undefined {
  if (result.kind === 'answered') return result.response.status;
  // The status of a response is enough, even if the rest is lost.
  return result.kind === 'unknown' ? result.status : undefined;
}

function pageIn(session: Session, response: PlatformResponse): AnsweredPage | undefined {
  const body = response.json();
  if (body.kind !== 'json') return undefined;
  const list = isJsonObject(body.value) ? body.value['data'] : body.value;
  if (!isJsonArray(list) || !list.every(isJsonObject)) return undefined;
  const link = nextIn(response.headers['link']);
  const next = link === undefined ? undefined : session.followed(link);
  if (link !== undefined && next === undefined) return undefined;
  const total = response.headers['total']?.trim();
  return {
    rows: list.map(withTextIds),
    next,
    total: total !== undefined && /^\d{1,12}$/.test(total) ? Number(total) : undefined,
  };
}
