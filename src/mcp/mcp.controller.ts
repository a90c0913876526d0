import { Controller, Delete, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import { CurrentCaller, type Caller } from '../auth/callers/caller';
import { AnyKey } from '../auth/guard/access.decorators';
import { presentedHash } from '../auth/guard/presented-key';
import { ApiError, invalidKey } from '../common/errors/api-error';
import { MCP_ROUTE } from '../common/request/mcp-path';
import { CurrentRequest } from '../common/request/current-request.decorator';
import { AnyQuery } from '../common/validation/any-query.decorator';
import { Bare } from '../common/response/bare.decorator';
import type { JsonText, StreamedJson } from '../common/response/handler-results';
import { CurrentResponse, PendingResponse } from '../common/response/memory/pending-response';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import type { RequestContext } from '../runtime/tracing/request-context';
import { McpService } from './mcp.service';

/** Headers that the protocol gives a meaning. */
const protocolHeaders = ['accept', 'content-type', 'mcp-protocol-version'];

/** The endpoint for agents (Streamable HTTP). Not part of the described API: its messages are those of the protocol. */
@ApiExcludeController()
@AnyQuery()
@Controller(MCP_ROUTE)
export class McpController {
  constructor(
    private readonly mcp: McpService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  @Post()
  @HttpCode(200)
  @AnyKey()
  @Bare()
  async message(
    @CurrentCaller() caller: Caller,
    @CurrentRequest() request: RequestContext,
    @CurrentResponse() answer: PendingResponse,
    @Req() http: HttpRequest,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<JsonText | StreamedJson | undefined> {
    this.refuseForeignPages(http);
    const keyHash = presentedHash(http);
    if (keyHash === undefined) throw invalidKey();
    const { status, body } = await this.mcp.answer(messageOf(http), http.body, {
      caller,
      keyHash,
      request,
      answer,
    });
    response.status(status);
    return body;
  }

  /** The server opens no streams. */
  @Get()
  @AnyKey()
  stream(): never {
    throw notAllowed();
  }

  /** There are no sessions that could end. */
  @Delete()
  @AnyKey()
  end(): never {
    throw notAllowed();
  }

  /**
   * Refuses requests of browser pages, which have an `Origin` header, unless the origin may call the API. So no page
   * can reach a service inside a network under the page's own host name (DNS rebinding).
   */
  private refuseForeignPages({ headers: { origin } }: HttpRequest): void {
    if (origin === undefined || this.environment.corsAllowedOrigins.includes(origin)) return;
    throw new ApiError('AUTHORIZATION_ERROR', 'Pages of this origin may not call the service');
  }
}

/** The part of the request that the protocol uses. Credentials are left out. */
function messageOf({ method, headers }: HttpRequest): Request {
  const given = protocolHeaders.flatMap((name): [string, string][] => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return new Request(`http://localhost/${MCP_ROUTE}`, { method, headers: given });
}

function notAllowed(): ApiError {
  return new ApiError('VALIDATION_ERROR', 'Send messages with POST; there are neither streams nor sessions', {
    status: 405,
    headers: { Allow: 'POST' },
  });
}
