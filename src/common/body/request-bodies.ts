import { Inject, Injectable } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { whenComplete } from '../response/response-complete';
import { BodyMemory } from './body-memory';
import { readBody } from './body-reader';

/** Maximum bytes of a platform's notification. Platforms report up to a thousand changes in one notification. */
export const LARGEST_NOTIFICATION = 4 * 1024 * 1024;

/** Reads the bodies of requests within their common memory limit. */
@Injectable()
export class RequestBodies {
  private readonly memory: BodyMemory;

  constructor(@Inject(ENVIRONMENT) { bodyLimitBytes }: Environment) {
    this.memory = new BodyMemory(bodyLimitBytes, Math.max(bodyLimitBytes, LARGEST_NOTIFICATION));
  }

  /**
   * The body of a request, decompressed. It counts as held until the response is made.
   *
   * @param tenant owner of the body: a customer's ID, or an address
   * @param limit bytes, both as sent and decompressed
   * @throws ApiError 413 beyond the limit, 408 if it arrives too slowly, 400 if it ends early or is broken; Overloaded
   *   (all by rejecting) if there is no room for it
   */
  read(request: IncomingMessage, response: ServerResponse, tenant: string, limit: number): Promise<Buffer> {
    return readBody(request, limit, (arriving) => {
      const bytes = this.memory.open(tenant, arriving);
      whenComplete(response, () => bytes.release());
      return bytes;
    });
  }
}
