import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../auth/public.decorator';
import { AnyQuery } from '../common/validation/any-query.decorator';
import { OwnBody } from '../common/body/own-body.decorator';
import { WEBHOOK_ROUTE } from '../common/request/webhook-paths';
import { ReceiverService, type CallAnswer } from './receiver.service';

/**
 * For live platforms, which call here as they were asked to. No part of the API: no customer calls it, each platform's calls
 * look as it likes, and answers are what it understands.
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

// Text that the caller has chosen: it must never be taken for a page. `nosniff` is on every answer.
function send(response: Response, text: CallAnswer): void {
  response.statusCode = 200;
  if (text !== undefined) response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.end(text);
}
