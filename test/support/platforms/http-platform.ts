import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { isJsonObject, parseJsonText, stringifyJson, type JsonObject, type PlatformName } from '@app/mapper';
import { behaviourOf, forecastAt } from '@app/behaviour';
import {
  Connector,
  type Connection,
  type RecordPage,
  type PlatformFacts,
  type Prediction,
  type ReadScope,
  type Settlement,
  type SourceRecord,
  type WriteCommand,
  type WriteOutcome,
} from '../../../src/platforms/connector';
import { FarPlatform } from './far-platform';

/**
 * Serves a far platform over HTTP, so that services in processes of their own can write to it.
 *
 * @param platformOf the platform of a customer
 */
export async function servePlatform(
  platformOf: (customerId: string) => FarPlatform,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    void (async () => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      const command = parseJsonText(text) as unknown as WriteCommand;
      const platform = platformOf(command.customerId);
      const connection = {
        customerId: command.customerId,
        platform: command.platform,
        mode: 'live' as const,
      };
      const outcome =
        request.url === '/settle'
          ? await platform.settle(connection, command)
          : await platform.submit(connection, command, new AbortController().signal);
      // An outcome is JSON but for the time of a deferral, which these tests do not use.
      response.end(stringifyJson(outcome));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The connector of a platform that is served at an address. */
export class HttpPlatform extends Connector {
  constructor(
    private readonly platform: PlatformName,
    private readonly url: string,
  ) {
    super();
  }

  override describe(): Promise<PlatformFacts> {
    return Promise.resolve({ currency: behaviourOf(this.platform).currency });
  }

  override async *read(_connection: Connection, { entityType }: ReadScope): AsyncIterable<RecordPage> {
    await Promise.resolve();
    const records = behaviourOf(this.platform)
      .portfolio()
      .filter((record) => record.entityType === entityType);
    yield { records, next: null, complete: true };
  }

  override get(): Promise<SourceRecord | undefined> {
    return Promise.resolve(undefined);
  }

  override predict(command: WriteCommand, current: JsonObject | undefined): Prediction {
    const { platform, entityType, variant, changes, referred } = command;
    const write = { entityType, variant, current, changes, referred };
    return { status: 'applied', payload: behaviourOf(platform).write(write, forecastAt(new Date())) };
  }

  override async submit(_connection: Connection, command: WriteCommand): Promise<WriteOutcome> {
    const outcome = await this.ask('submit', command).catch(() => undefined);
    return outcome === undefined ? { status: 'uncertain' } : (outcome as unknown as WriteOutcome);
  }

  override async settle(_connection: Connection, command: WriteCommand): Promise<Settlement> {
    return (await this.ask('settle', command)) as unknown as Settlement;
  }

  private async ask(what: string, command: WriteCommand): Promise<JsonObject> {
    const body = stringifyJson(command);
    const response = await fetch(`${this.url}/${what}`, { method: 'POST', body });
    const answer = parseJsonText(await response.text());
    if (!isJsonObject(answer)) throw new Error('The platform answers nonsense');
    return answer;
  }
}
