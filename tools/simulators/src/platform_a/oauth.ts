import { isJsonObject, type JsonObject, type JsonValue } from '@app/mapper';
import {
  contentTypeOf,
  formBodyOf,
  objectBodyOf,
  Refusal,
  Router,
  type Reply,
  type SeededRandom,
  type SimulatedClock,
  type SimulatedRequest,
} from '../server';
import { textOf } from './text';

interface Grant {
  readonly access: string;
  readonly refresh: string | undefined;
  readonly createdAt: number;
  expiresAt: number;
}
interface Code {
  readonly redirectUri: string;
  readonly expiresAt: number;
}

/** The client ID and secret that the customer received for the app. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

const CODE_LIFE = 10 * 60_000;
const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob';
const INVALID_GRANT =
  'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.';

/** The login host: it issues tokens, and checks them. */
export class TokenDesk {
  private readonly grants = new Map<string, Grant>();
  private readonly refreshable = new Map<string, Grant>();
  private readonly codes = new Map<string, Code>();
  private readonly router = new Router<(request: SimulatedRequest) => Reply>()
    .route('POST', '/oauth/token', (request) => this.token(request))
    .route('GET', '/oauth/authorize', (request) => this.authorize(request))
    .route('GET', '/oauth/token/info', (request) => this.info(request))
    .route('POST', '/oauth/revoke', (request) => this.revoke(request));

  constructor(
    private readonly client: ClientCredentials,
    private readonly clock: SimulatedClock,
    private readonly random: SeededRandom,
    private readonly settings: { seconds(): number; invalidGrantStatus(): number },
    private readonly changed: () => void,
  ) {}

  answer(request: SimulatedRequest): Reply {
    const found = this.router.find(request.method, request.path);
    if (found.kind !== 'handler') throw new Refusal({ status: 404, text: 'Not Found' });
    return found.handler(request);
  }

  /** Whether an Authorization header contains a valid token. */
  admits(header: string | undefined): boolean {
    const grant = this.grantOf(header);
    return grant !== undefined && grant.expiresAt > this.clock.now();
  }

  /** Expires all access tokens. Refresh tokens stay valid. */
  expireAll(): void {
    for (const grant of this.grants.values()) grant.expiresAt = this.clock.now();
    this.changed();
  }

  toJson(): JsonObject {
    const grants = [...this.grants.values()].map((grant): JsonObject => ({
      access: grant.access,
      refresh: grant.refresh ?? null,
      usable: grant.refresh !== undefined && this.refreshable.has(grant.refresh),
      createdAt: grant.createdAt,
      expiresAt: grant.expiresAt,
    }));
    return { grants };
  }

  restore(state: JsonValue | undefined): void {
    const grants = isJsonObject(state) ? state['grants'] : undefined;
    for (const kept of Array.isArray(grants) ? (grants as readonly JsonObject[]) : []) {
      const grant: Grant = {
        access: textOf(kept['access']),
        refresh: typeof kept['refresh'] === 'string' ? kept['refresh'] : undefined,
        createdAt: Number(kept['createdAt']),
        expiresAt: Number(kept['expiresAt']),
      };
      this.grants.set(grant.access, grant);
      if (grant.refresh !== undefined && kept['usable'] === true) this.refreshable.set(grant.refresh, grant);
    }
  }

  private token(request: SimulatedRequest): Reply {
    const fields = fieldsOf(request);
    // A refresh consumes the refresh token, even if the rest of the request is wrong.
    const refreshed = fields['refresh_token'];
    const before = refreshed === undefined ? undefined : this.refreshable.get(refreshed);
    if (refreshed !== undefined) this.refreshable.delete(refreshed);
    this.changed();
    this.checkClient(fields);
    switch (fields['grant_type']) {
      case 'client_credentials':
        return this.granted(false);
      case 'authorization_code': {
        const code = this.codes.get(fields['code'] ?? '');
        this.codes.delete(fields['code'] ?? '');
        if (code === undefined || code.expiresAt <= this.clock.now()) throw this.invalidGrant();
        if (code.redirectUri !== fields['redirect_uri']) throw this.invalidGrant();
        return this.granted(true);
      }
      case 'refresh_token':
        if (before === undefined) throw this.invalidGrant();
        return this.granted(true);
      case undefined:
        throw oauthError(400, 'invalid_request', 'The request is missing a required parameter: grant_type.');
      default:
        throw oauthError(400, 'unsupported_grant_type', 'The authorization grant type is not supported.');
    }
  }

  private granted(withRefresh: boolean): Reply {
    const now = this.clock.now();
    const seconds = this.settings.seconds();
    const grant: Grant = {
      access: this.random.hex(64),
      refresh: withRefresh ? this.random.hex(64) : undefined,
      createdAt: Math.floor(now / 1000),
      expiresAt: now + seconds * 1000,
    };
    this.grants.set(grant.access, grant);
    if (grant.refresh !== undefined) this.refreshable.set(grant.refresh, grant);
    this.changed();
    const json: JsonObject = {
      access_token: grant.access,
      token_type: 'bearer',
      expires_in: seconds,
      ...(grant.refresh === undefined ? {} : { refresh_token: grant.refresh }),
      created_at: grant.createdAt,
    };
    return { status: 200, json, headers: { 'cache-control': 'no-store' } };
  }

  /** The simulated user always consents. */
  private authorize({ query }: SimulatedRequest): Reply {
    const redirectUri = query.get('redirect_uri') ?? '';
    if (query.get('client_id') !== this.client.clientId) {
      throw oauthError(401, 'invalid_client', 'Client authentication failed due to unknown client.');
    }
    if (
      query.get('response_type') !== 'code' ||
      (redirectUri !== OUT_OF_BAND && !URL.canParse(redirectUri))
    ) {
      throw oauthError(400, 'invalid_request', 'response_type is code, and redirect_uri an address.');
    }
    const code = this.random.hex(64);
    this.codes.set(code, { redirectUri, expiresAt: this.clock.now() + CODE_LIFE });
    if (redirectUri === OUT_OF_BAND) return { status: 200, text: code };
    const target = new URL(redirectUri);
    target.searchParams.set('code', code);
    const state = query.get('state');
    if (state !== null) target.searchParams.set('state', state);
    return { status: 302, headers: { location: target.toString() } };
  }

  private info({ headers }: SimulatedRequest): Reply {
    const grant = this.grantOf(headers['authorization']);
    const left = grant === undefined ? 0 : Math.floor((grant.expiresAt - this.clock.now()) / 1000);
    if (grant === undefined || left <= 0) {
      throw oauthError(401, 'invalid_request', 'The access token is invalid');
    }
    return {
      status: 200,
      json: {
        resource_owner_id: 1,
        scopes: [],
        expires_in_seconds: left,
        expires_in: left,
        application: { uid: this.client.clientId },
        created_at: grant.createdAt,
      },
    };
  }

  private revoke(request: SimulatedRequest): Reply {
    const fields = fieldsOf(request);
    this.checkClient(fields);
    const token = fields['token'] ?? '';
    for (const grant of this.grants.values()) {
      if (grant.access !== token && grant.refresh !== token) continue;
      this.grants.delete(grant.access);
      if (grant.refresh !== undefined) this.refreshable.delete(grant.refresh);
    }
    this.changed();
    return { status: 200, json: {} };
  }

  private checkClient(fields: Readonly<Record<string, string>>): void {
    const { clientId, clientSecret } = this.client;
    if (fields['client_id'] !== clientId || fields['client_secret'] !== clientSecret) {
      throw oauthError(
        401,
        'invalid_client',
        'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
      );
    }
  }

  private grantOf(header: string | undefined): Grant | undefined {
    const [, token] = /^Bearer (\S+)$/.exec(header ?? '') ?? [];
    return token === undefined ? undefined : this.grants.get(token);
  }

  private invalidGrant(): Refusal {
    return oauthError(this.settings.invalidGrantStatus(), 'invalid_grant', INVALID_GRANT);
  }
}

function oauthError(status: number, error: string, description: string): Refusal {
  return new Refusal({ status, json: { error, error_description: description } });
}

// The body as JSON, urlencoded form or form-data: the platform accepts all three.
function fieldsOf(request: SimulatedRequest): Readonly<Record<string, string>> {
  const type = contentTypeOf(request);
  if (type === 'application/x-www-form-urlencoded') return formBodyOf(request);
  if (type === 'multipart/form-data') {
    const parts = request.body.matchAll(/name="([^"\r\n]*)"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n([^\r\n]*)\r\n/g);
    return Object.fromEntries([...parts].map(([, name = '', value = '']) => [name, value]));
  }
  const object = objectBodyOf(request);
  if (type !== 'application/json' || object === undefined) {
    throw oauthError(400, 'invalid_request', 'The request is malformed.');
  }
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
