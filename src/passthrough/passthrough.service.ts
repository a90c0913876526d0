import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { PlatformName } from '@app/mapper';
import type { Caller } from '../auth/callers/caller';
import { stillRunning, type Claim } from '../common/idempotency/claim';
import type { Handling } from '../common/idempotency/idempotency.service';
import { REPLAYED } from '../common/response/handler-results';
import { ApiError } from '../common/errors/api-error';
import { Cursors, Paged, PAGE_SIZE } from '../common/paging/paging';
import { isTimeText, isUuid } from '../common/paging/sort-keys';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import type { CallerResponse, CallerOutcome, SendCallerRequest } from '../platforms/caller-request';
import type { Connection } from '../platforms/connector';
import { CredentialsService } from '../platforms/credentials/credentials.service';
import type { PlatformError } from '../platforms/platform-error';
import { Connectors } from '../platforms/connectors';
import type { RequestContext } from '../runtime/tracing/request-context';
import { SchedulesRepository } from '../sync/schedule/schedules.repository';
import { PassthroughRequestsRepository } from './passthrough-requests.repository';
import type { PlatformRequestDto, PlatformRequestsQuery } from './passthrough.dto';
import { shownRequest, type PlatformRequestRecord } from './passthrough.response';
import { readRequest } from './read-request';

const cursors = new Cursors<readonly [at: string, id: string]>('platform requests', [isTimeText, isUuid]);

/** A write continues after its client has disconnected, so that its outcome is stored. */
const never = new AbortController().signal;

/** Statuses of responses that show that the platform did nothing, so the same request may be sent again. */
const harmless: ReadonlySet<number> = new Set([401, 429]);

/** Sends requests that callers have composed to their live platforms. */
@Injectable()
export class PassthroughService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly connectors: Connectors,
    private readonly credentials: CredentialsService,
    private readonly requests: PassthroughRequestsRepository,
    private readonly schedules: SchedulesRepository,
  ) {}

  /**
   * How a request is handled. Before a write is sent, it is stored together with its ID under the idempotency key. Its
   * response is stored afterwards. If the response is lost, a repetition of the request finds the ID of the write and is
   * refused with CONFLICT_ERROR: the write is not sent again while its key is kept. A write that may still run is not
   * called lost. If the platform has certainly not carried the write out, the key is free.
   *
   * @param gone aborts a read whose client has disconnected
   */
  once(
    caller: Caller,
    platform: PlatformName,
    body: PlatformRequestDto,
    request: RequestContext,
    gone: AbortSignal,
  ): Handling<CallerResponse> {
    const connection = { customerId: caller.customer.id, platform, mode: 'live', cause: request } as const;
    return {
      first: async (claim) => {
        const send = await this.open(connection, body);
        if (claim === undefined) return responseOf(await send(gone));
        return this.write(connection, send, claim, {
          id: randomUUID(),
          platform,
          method: body.method,
          path: body.path,
          keyId: caller.keyId,
          requestId: request.requestId,
        });
      },
      again: async (id, hasEnded) => {
        if (!hasEnded && (await this.mayStillRun(connection, id))) throw stillRunning();
        throw answerLost(platform);
      },
      isFinal: ({ status }) => !harmless.has(status),
      // A refusal is not kept under the key, because the connection may become live, or get credentials, later.
      keepsRefusals: false,
    };
  }

  /**
   * The writes that callers have sent to a platform, newest first.
   *
   * @throws ApiError VALIDATION_ERROR for a cursor of another list
   */
  async list(
    customerId: string,
    platform: PlatformName,
    { limit = PAGE_SIZE.usual, cursor }: PlatformRequestsQuery,
  ): Promise<Paged<readonly PlatformRequestRecord[]>> {
    const [at, id] = cursor === undefined ? [] : cursors.decode(customerId, { platform }, cursor);
    const before = at === undefined || id === undefined ? undefined : { at, id };
    const found = await this.unitOfWork.runFor(
      customerId,
      (tx) => this.requests.list(tx, platform, limit + 1, before),
      { readOnly: true },
    );
    const last = found.length > limit ? found[limit - 1] : undefined;
    return new Paged(
      found.slice(0, limit).map(shownRequest),
      last === undefined ? null : cursors.encode(customerId, { platform }, [last.sentAt, last.id]),
    );
  }

  /** Whether the instance that sends a write may still do so, although it could not renew the lease of its key. */
  private mayStillRun(connection: Connection, id: string): Promise<boolean> {
    const { longestRequestMs = 0 } = this.connectors.connectorFor(connection);
    return this.unitOfWork.runFor(
      connection.customerId,
      (tx) => this.requests.isRecent(tx, id, longestRequestMs),
      { readOnly: true },
    );
  }

  /** @throws ApiError VALIDATION_ERROR; CONFLICT_ERROR for a sandbox */
  private async open(connection: Connection, body: PlatformRequestDto): Promise<SendCallerRequest> {
    const { customerId, platform } = connection;
    const request = readRequest(body);
    const isLive = (await this.credentials.show(customerId, platform)) !== undefined;
    const connector = isLive ? this.connectors.connectorFor(connection) : undefined;
    if (connector?.openRequest === undefined) {
      throw new ApiError(
        'CONFLICT_ERROR',
        `${platform} is a sandbox of this customer; requests of your own go to live connections only`,
      );
    }
    return connector.openRequest(connection, request);
  }

  private async write(
    connection: Connection,
    send: SendCallerRequest,
    claim: Claim,
    request: Parameters<PassthroughRequestsRepository['insert']>[1],
  ): Promise<CallerResponse> {
    const { customerId } = connection;
    const { id } = request;
    await this.unitOfWork.runFor(customerId, async (tx) => {
      await claim.hold(tx.store);
      await this.requests.insert(tx, request);
      claim.name(tx.store, id);
    });
    let outcome: CallerOutcome;
    try {
      outcome = await send(never);
    } catch (error) {
      // Without a token, or a permit of the rate limiter, nothing is sent.
      await this.withdraw(customerId, id, claim);
      throw error;
    }
    if (outcome.kind === 'not_sent') {
      await this.withdraw(customerId, id, claim);
      throw outcome.error;
    }
    if (outcome.kind === 'unknown') {
      // Requests a run soon, to read the records that the request may have changed.
      await this.unitOfWork.runFor(customerId, (tx) => this.schedules.request(tx, connection, false));
      throw lost(outcome.error);
    }
    const { answer } = outcome;
    await this.unitOfWork.runFor(customerId, async (tx) => {
      await claim.hold(tx.store);
      await this.requests.answered(tx, id, answer.status);
      await this.schedules.request(tx, connection, false);
      if (harmless.has(answer.status)) claim.unname(tx.store);
      else claim.keep(tx.store, answer);
    });
    return answer;
  }

  private withdraw(customerId: string, id: string, claim: Claim): Promise<void> {
    return this.unitOfWork.runFor(customerId, async (tx) => {
      await claim.hold(tx.store);
      await this.requests.notSent(tx, id);
      claim.unname(tx.store);
    });
  }
}

/** The answer to a repetition of a write whose outcome is unknown. */
function answerLost(platform: PlatformName): ApiError {
  return new ApiError(
    'CONFLICT_ERROR',
    `The request with this Idempotency-Key was sent to ${platform}, and its answer was lost. It is not sent again: look at ${platform} whether it was carried out, and use another key to send it anew`,
    { headers: { [REPLAYED]: 'true' } },
  );
}

/** The error for a client whose write got no answer. */
function lost({ message, cause }: PlatformError): ApiError {
  return new ApiError(
    'EXTERNAL_SERVICE_ERROR',
    `${message}; whether the request was carried out is not known, and this Idempotency-Key does not send it again`,
    { cause },
  );
}

/** @throws ApiError EXTERNAL_SERVICE_ERROR without an answer */
function responseOf(outcome: CallerOutcome): CallerResponse {
  if (outcome.kind === 'answered') return outcome.answer;
  throw outcome.error;
}
