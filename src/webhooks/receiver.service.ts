import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isPlatformName, type JsonValue, type PlatformName } from '@app/mapper';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import { WEBHOOKS_OF_PLATFORMS, type CallForm, type WebhooksOfPlatforms } from '../platforms/webhooks';
import { ApiError } from '../common/errors/api-error';
import { parseJsonBody } from '../common/body/json-body';
import { RequestBodies } from '../common/body/request-bodies';
import { Metrics } from '../runtime/metrics/metrics';
import { CoalescedRequests } from './coalesced-requests';
import { headerValues } from '../common/headers/header-values';
import { isProven, secretsInHeader } from './proof';
import { ReceiverLookup } from './receiver-lookup';
import type { Receiver } from './subscriptions.repository';

/** Bytes of a call that are read. A platform tells of a thousand changes in one. */
const MOST_BYTES = 4 * 1024 * 1024;

/** What a platform may want back: printable, and no longer than any of them sends. */
const CHALLENGE = /^[\x20-\x7e]{1,1024}$/;

/** The text of an answer of 200; none for an empty one. */
export type CallAnswer = string | undefined;

/**
 * Takes the calls of live platforms. A call that is proven asks for a reading of its connection, which looks at the records
 * that the call names; nothing else that it says is used. Any other has no effect.
 */
@Injectable()
export class ReceiverService {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(WEBHOOKS_OF_PLATFORMS) private readonly platforms: WebhooksOfPlatforms,
    private readonly bodies: RequestBodies,
    private readonly receivers: ReceiverLookup,
    private readonly requests: CoalescedRequests,
    private readonly metrics: Metrics,
  ) {}

  /**
   * A call that says that something has changed, or a handshake.
   *
   * @param address the random part of the address
   * @throws ApiError NOT_FOUND for platforms that do not call, and without a public address; AUTHENTICATION_ERROR without
   *   proof, where the platform bears that; DatabaseUnavailable, Overloaded when it has to call again
   */
  async receive(
    platform: string,
    address: string,
    request: Request,
    response: Response,
  ): Promise<CallAnswer> {
    const { name, form } = this.calls(platform);
    const challenge = challengeIn(request, form);
    if (challenge !== undefined) return this.completeHandshake(name, address, challenge, request);
    try {
      const receiver = await this.find(name, address, request);
      const isInBody = form.secretIn === 'body';
      const read = (by: Receiver): Promise<JsonValue | undefined> => this.bodyOf(request, response, by);
      // A body is read only where a subscription has the address, and where a header proves the call, only then.
      const sent = isInBody && receiver !== undefined ? await read(receiver) : undefined;
      const secrets = isInBody
        ? secretsInBody(form, sent)
        : secretsInHeader(headerValues(request, 'authorization'));
      if (receiver === undefined || !isProven(secrets, receiver.secretHash)) return this.refuse(name, form);
      request.calledFor = receiver;
      const body = isInBody ? sent : await read(receiver);
      await this.requests.ask(receiver, body === undefined ? [] : form.recordsIn(body));
    } catch (error) {
      if (!(error instanceof ApiError)) this.metrics.countNotice(name, 'failed');
      throw error;
    }
    this.metrics.countNotice(name, 'accepted');
    return undefined;
  }

  /** A handshake that is made with GET; nothing else is. @throws ApiError NOT_FOUND */
  async answerHandshake(platform: string, address: string, request: Request): Promise<CallAnswer> {
    const { name, form } = this.calls(platform);
    const challenge = challengeIn(request, form);
    if (challenge === undefined) throw noRoute();
    return this.completeHandshake(name, address, challenge, request);
  }

  /** Only while we are registering the address: else anybody could have us say what they like. */
  private async completeHandshake(
    platform: PlatformName,
    address: string,
    challenge: string,
    request: Request,
  ): Promise<CallAnswer> {
    const receiver = CHALLENGE.test(challenge)
      ? await this.receivers.findNow(address, request.ip ?? '')
      : undefined;
    if (receiver?.platform !== platform || !receiver.isHandshake) {
      this.metrics.countNotice(platform, 'unproven');
      return undefined;
    }
    this.metrics.countNotice(platform, 'handshake');
    return challenge;
  }

  private async find(
    platform: PlatformName,
    address: string,
    request: Request,
  ): Promise<Receiver | undefined> {
    const receiver = await this.receivers.find(address, request.ip ?? '');
    return receiver?.platform === platform ? receiver : undefined;
  }

  /** What a call says; undefined where that is no JSON, too long, or cut off. It proves nothing and names nothing then. */
  private async bodyOf(
    request: Request,
    response: Response,
    { customerId }: Receiver,
  ): Promise<JsonValue | undefined> {
    try {
      return parseJsonBody(await this.bodies.read(request, response, customerId, MOST_BYTES));
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  private refuse(platform: PlatformName, { unproven }: CallForm): CallAnswer {
    this.metrics.countNotice(platform, 'unproven');
    if (unproven === 'ignore') return undefined;
    throw new ApiError('AUTHENTICATION_ERROR', 'Invalid or missing secret', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }

  private calls(platform: string): { readonly name: PlatformName; readonly form: CallForm } {
    const webhooks = isPlatformName(platform) ? this.platforms.get(platform) : undefined;
    if (this.environment.publicUrl === undefined || webhooks === undefined || !isPlatformName(platform)) {
      throw noRoute();
    }
    return { name: platform, form: webhooks.form };
  }
}

const noRoute = (): ApiError => new ApiError('NOT_FOUND', 'There is no such route');

function challengeIn({ query }: Request, { challenge }: CallForm): string | undefined {
  const value = challenge === undefined ? undefined : query[challenge];
  if (value === undefined) return undefined;
  // Given twice it is no text, and no platform's.
  return typeof value === 'string' ? value : '';
}

function secretsInBody(form: CallForm, body: JsonValue | undefined): readonly string[] {
  return body === undefined ? [] : form.secretsIn(body);
}
