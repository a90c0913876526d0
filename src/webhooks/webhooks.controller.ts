import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../auth/guard/access.decorators';
import { AnyQuery } from '../common/validation/any-query.decorator';
import { OwnBody } from '../common/body/own-body.decorator';
import { WEBHOOK_ROUTE } from '../common/request/webhook-paths';
import { ReceiverService, type CallResponse } from './receiver.service';

/**
 * Receives the notifications of live platforms at the subscribed addresses. This is not part of the customers' API:
 * each platform has its own form of notification and of response.
 */
@ApiExcludeController()
@AnyQuery()
@Controller()
export class WebhooksController {
  constructor(private readonly receiver: ReceiverService) {}

  @Post(WEBHOOK_ROUTE)
  @Public()
  @OwnBody()
  async receive(
    @Param('platform') platform: string,
    @Param('address') address: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    send(response, await this.receiver.receive(platform, address, request, response));
  }

  @Get(WEBHOOK_ROUTE)
  @Public()
  async greet(
    @Param('platform') platform: string,
    @Param('address') address: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    send(response, await this.receiver.answerHandshake(platform, address, request));
  }
}

// The caller chose this text, so it must never be interpreted as a page. Every response has `nosniff`.
function send(response: Response, text: CallResponse): void {
  response.statusCode = 200;
  if (text !== undefined) response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.end(text);
}
