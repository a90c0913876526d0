import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isPlatformName, type JsonValue, type PlatformName } from '@app/mapper';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import { WEBHOOKS_OF_PLATFORMS, type CallForm, type WebhooksOfPlatforms } from '../platforms/webhooks';
import { ApiError } from '../common/errors/api-error';
import { parseJsonBody } from '../common/body/json-body';
import { LARGEST_NOTIFICATION, RequestBodies } from '../common/body/request-bodies';
import { Metrics } from '../runtime/metrics/metrics';
import { CoalescedRequests } from './coalesced-requests';
import { headerValues } from '../common/headers/header-values';
import { isProven, secretsInHeader } from './proof';
import { ReceiverLookup } from './receiver-lookup';
import type { Receiver } from './subscriptions.repository';

/** The status of a body that arrives too slowly. */
const TOO_SLOW = 408;

/** The accepted challenges: printable, up to a length that no platform exceeds. */
const CHALLENGE = /^[\x20-\x7e]{1,1024}$/;

/** The body of a response with status 200; undefined for an empty one. */
export type CallResponse = string | undefined;

/**
 * Handles the notifications of live platforms. A proven notification requests a reading of its connection, which looks
 * up the records that the notification names. No other content of it is used. An unproven notification has no effect.
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
   * Handles a notification of changes, or a handshake.
   *
   * @param address the random part of the address
   * @throws ApiError NOT_FOUND for platforms without notifications, and without a public address; AUTHENTICATION_ERROR
   *   without proof, unless the platform needs a success status; 408, DatabaseUnavailable, Overloaded if the platform
   *   must retry
   */
  async receive(
    platform: string,
    address: string,
    request: Request,
    response: Response,
  ): Promise<CallResponse> {
    const { name, form } = this.calls(platform);
    const challenge = challengeIn(request, form);
    if (challenge !== undefined) return this.completeHandshake(name, address, challenge, request);
    try {
      const receiver = await this.find(name, address, request);
      const isInBody = form.secretIn === 'body';
      const read = (by: Receiver): Promise<JsonValue | undefined> =>
        this.bodyOf(request, response, by, isInBody);
      // The body is read only if a subscription has the address and, for a proof in the header, only if the header
      // proves the call.
      const sent = isInBody && receiver !== undefined ? await read(receiver) : undefined;
      const secrets = isInBody
        ? secretsInBody(form, sent)
        : secretsInHeader(headerValues(request, 'authorization'));
      if (receiver === undefined || !isProven(secrets, receiver.secretHash)) return this.refuse(name, form);
      request.calledFor = receiver;
      const body = isInBody ? sent : await read(receiver);
      await this.requests.ask(receiver, body === undefined ? [] : form.recordsIn(body));
    } catch (error) {
      // A refusal is counted where it is made. After any other error the platform calls again.
      const isRefusal = error instanceof ApiError && error.status !== TOO_SLOW;
      if (!isRefusal) this.metrics.countNotice(name, 'failed');
      throw error;
    }
    this.metrics.countNotice(name, 'accepted');
    return undefined;
  }

  /**
   * Answers a handshake that the platform performs with GET.
   *
   * @throws ApiError NOT_FOUND for any other GET request
   */
  async answerHandshake(platform: string, address: string, request: Request): Promise<CallResponse> {
    const { name, form } = this.calls(platform);
    const challenge = challengeIn(request, form);
    if (challenge === undefined) throw noRoute();
    return this.completeHandshake(name, address, challenge, request);
  }

  /**
   * Answers only while the service registers the address. Otherwise any client could make the service return a text of
   * the client's choice.
   */
  private async completeHandshake(
    platform: PlatformName,
    address: string,
    challenge: string,
    request: Request,
  ): Promise<CallResponse> {
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

  /**
   * The content of a notification; undefined if the body is not JSON, too long or incomplete. Such a body proves
   * nothing and names no record.
   *
   * @throws ApiError 408 if a body that may hold the proof arrives too slowly: the platform calls again. An answer of
   *   success would end the matter for the platform
   */
  private async bodyOf(
    request: Request,
    response: Response,
    { customerId }: Receiver,
    mayProve: boolean,
  ): Promise<JsonValue | undefined> {
    try {
      return parseJsonBody(await this.bodies.read(request, response, customerId, LARGEST_NOTIFICATION));
    } catch (error) {
      const comesAgain = mayProve && error instanceof ApiError && error.status === TOO_SLOW;
      if (error instanceof ApiError && !comesAgain) return undefined;
      throw error;
    }
  }

  private refuse(platform: PlatformName, { unproven }: CallForm): CallResponse {
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
  // A parameter that occurs twice is not a string. No platform sends that.
  return typeof value === 'string' ? value : '';
}

function secretsInBody(form: CallForm, body: JsonValue | undefined): readonly string[] {
  return body === undefined ? [] : form.secretsIn(body);
}
