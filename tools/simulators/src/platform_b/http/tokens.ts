import {
  contentTypeOf,
  formBodyOf,
  type Reply,
  type SeededRandom,
  type SimulatedClock,
  type SimulatedRequest,
} from '../../server';
import { ODataError } from '../odata-error';
import type { Switches } from '../switches';

/** A registered client with consent and permission sets. */
export interface Client {
  readonly id: string;
  readonly secret: string;
}

export const SCOPE = 'https://api.businesscentral.dynamics.com/.default';

interface Issued {
  readonly client: string;
  readonly until: number;
}

/** The token endpoint and the issued tokens. */
export class Tokens {
  private readonly issued = new Map<string, Issued>();
  private readonly clients = new Map<string, Client>();

  constructor(
    private readonly clock: SimulatedClock,
    private readonly random: SeededRandom,
    private readonly switches: Switches,
  ) {}

  /** Registers a client, or replaces its secret. Its present tokens stay valid. */
  register(client: Client): void {
    this.clients.set(client.id, client);
  }

  /** Expires all tokens. */
  expireAll(): void {
    this.issued.clear();
  }

  /** Answers `POST …/oauth2/v2.0/token`. */
  answer(request: SimulatedRequest): Reply {
    if (contentTypeOf(request) !== 'application/x-www-form-urlencoded') {
      return refused(
        400,
        'invalid_request',
        'AADSTS900144',
        "The request body must contain the following parameter: 'grant_type'.",
      );
    }
    const { grant_type, client_id = '', client_secret, scope } = formBodyOf(request);
    if (grant_type !== 'client_credentials') {
      return refused(
        400,
        'unsupported_grant_type',
        'AADSTS70003',
        'The app requested an unsupported grant type.',
      );
    }
    const client = this.clients.get(client_id);
    if (client === undefined || client_secret !== client.secret) {
      return refused(401, 'invalid_client', 'AADSTS7000215', 'Invalid client secret provided.');
    }
    if (scope === undefined || scope === '') {
      return refused(
        400,
        'invalid_request',
        'AADSTS900144',
        "The request body must contain the following parameter: 'scope'.",
      );
    }
    if (scope !== SCOPE) {
      return refused(400, 'invalid_scope', 'AADSTS70011', 'The provided value for scope is not valid.');
    }
    const lifetime = this.switches.get('tokenSeconds');
    const token = `eyJ0eXAiOiJKV1QifQ.${this.random.hex(48)}.${this.random.hex(32)}`;
    this.issued.set(token, { client: client.id, until: this.clock.now() + lifetime * 1000 });
    return {
      status: 200,
      headers: { 'cache-control': 'no-store' },
      json: { token_type: 'Bearer', expires_in: lifetime, ext_expires_in: lifetime, access_token: token },
    };
  }

  /**
   * The client of a request.
   *
   * @throws ODataError 401 without a valid token
   */
  clientOf(headers: Readonly<Record<string, string>>): string {
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    const issued = this.issued.get(token);
    if (issued === undefined || issued.until <= this.clock.now()) {
      throw new ODataError(
        401,
        'Authentication_InvalidCredentials',
        'The server has rejected the client credentials.',
        { 'www-authenticate': 'Bearer' },
      );
    }
    return issued.client;
  }
}

function refused(status: number, error: string, code: string, description: string): Reply {
  return {
    status,
    json: {
      error,
      error_description: `${code}: ${description}`,
      error_codes: [Number(code.replace('AADSTS', ''))],
    },
  };
}
