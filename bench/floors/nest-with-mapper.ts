// Nest on Express that translates a record and does nothing else: no key, no limits, no turn, no log, no metrics, no
// headers but the necessary. The service cannot answer more than this on its stack.
import 'reflect-metadata';
import {
  previewTranslation,
  parseJsonText,
  readMapperContext,
  stringifyJson,
  type JsonObject,
} from '@app/mapper';
import { Controller, Header, HttpCode, Module, Post, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { createServer, Server, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { messageClasses, type ExpressApplication } from '../../src/common/server/message-classes';
import { sendTogether } from '../../src/common/response/socket/end-of-turn';

const customerId = randomUUID();

@Controller('api/v1')
class TransformOnly {
  @Post('transform')
  @HttpCode(200)
  @Header('Content-Type', 'application/json; charset=utf-8')
  async transform(@Req() request: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // A request without an encoding has buffers.
    const body = parseJsonText(Buffer.concat(chunks).toString()) as JsonObject; // The bench sends an object.
    const preview = previewTranslation({
      customerId,
      source: 'platform_b',
      target: 'platform_a',
      entityType: 'invoice',
      payload: body.data as JsonObject,
      context: readMapperContext({}),
      defaultCurrency: 'USD',
    });
    return stringifyJson({
      canonical: preview.canonical,
      data: preview.payload,
      metadata: preview.references ?? {},
    });
  }
}

@Module({ controllers: [TransformOnly] })
class Only {}

/** As the service's own: Express' messages keep one prototype, and answers of a turn go out together. */
class BareAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    const app = this.getInstance<ExpressApplication>();
    const messages = messageClasses(app);
    // Its type says `any`.
    sendTogether(messages.ServerResponse.prototype as ServerResponse);
    app.set('etag', false);
    this.httpServer = createServer(messages, app);
  }
}

async function serve(): Promise<void> {
  const app = await NestFactory.create(Only, new BareAdapter(), { logger: false, bodyParser: false });
  await app.listen(0, '127.0.0.1');
  const server: unknown = app.getHttpServer();
  if (!(server instanceof Server)) throw new Error('Nest has another server');
  // A server that listens on TCP has such an address.
  process.stdout.write(`Listening on ${(server.address() as AddressInfo).port}\n`);
}

process.on('SIGTERM', () => process.exit(0));
void serve();
