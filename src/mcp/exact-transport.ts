import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { stringifyJson } from '@app/mapper';

/** The HTTP response; `text` is undefined if the response has no body. */
export interface McpResponse {
  readonly status: number;
  readonly text: string | undefined;
}

/**
 * The SDK's transport for one request, without a session: every response is one JSON text, so any instance can serve
 * any request. This class serialises the message itself, because `JSON.stringify` does not keep the spelling of
 * numbers.
 */
export class ExactTransport extends WebStandardStreamableHTTPServerTransport {
  private message: JSONRPCMessage | undefined;

  constructor() {
    super({ enableJsonResponse: true });
  }

  override async send(
    message: JSONRPCMessage,
    options?: Parameters<WebStandardStreamableHTTPServerTransport['send']>[1],
  ): Promise<void> {
    this.message = message;
    await super.send(message, options);
  }

  /** Handles a request with a parsed body. Refusals of the protocol are responses, not errors. */
  async exchange(request: Request, parsedBody: unknown): Promise<McpResponse> {
    const { status, body } = await this.handleRequest(request, { parsedBody }).then(async (response) => ({
      status: response.status,
      body: response.body === null ? undefined : await response.text(),
    }));
    const exact = status === 200 && this.message !== undefined ? stringifyJson(this.message) : body;
    return { status, text: exact };
  }
}
