import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  isJSONRPCResultResponse,
  type CallToolResult,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import { stringifyJson } from '@app/mapper';
import { JsonText, StreamedJson } from '../common/response/handler-results';
import { resultMessage } from './result-message';
import type { ToolResult } from './tool-result';

/** The HTTP response; `body` is undefined if the response has none. */
export interface McpResponse {
  readonly status: number;
  readonly body: JsonText | StreamedJson | undefined;
}

/** What the protocol's library sees of a result. It would look through all values of the true one. */
const STAND_IN: CallToolResult = { content: [] };

/**
 * The SDK's transport for one request, without a session: every response is one JSON text, so any instance can serve
 * any request. This class serialises the message itself, because `JSON.stringify` does not keep the spelling of
 * numbers, and because results of tools are JSON already.
 */
export class ExactTransport extends WebStandardStreamableHTTPServerTransport {
  private message: JSONRPCMessage | undefined;
  private result: ToolResult | undefined;

  /** @param turn waits for the customer's turn; undefined if no wait is necessary */
  constructor(private readonly turn: () => Promise<void> | undefined) {
    super({ enableJsonResponse: true });
  }

  /** Keeps the result of a tool for the message. @returns what takes its place until then */
  carry(result: ToolResult): CallToolResult {
    this.result = result;
    return STAND_IN;
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
    const { status, text } = await this.handleRequest(request, { parsedBody }).then(async (response) => ({
      status: response.status,
      text: response.body === null ? undefined : await response.text(),
    }));
    const { message, result } = this;
    if (status !== 200 || message === undefined)
      return { status, body: text === undefined ? undefined : new JsonText(text) };
    if (result === undefined || !isJSONRPCResultResponse(message))
      return { status, body: new JsonText(stringifyJson(message)) };
    const held = result.pieces.reduce((sum, piece) => sum + piece.length, 0);
    return { status, body: new StreamedJson(resultMessage(message.id, result, this.turn), held) };
  }
}
