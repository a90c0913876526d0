import { Agent, request as ask } from 'node:http';

/** A request that a client repeats. */
export interface RepeatedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const isAlive: RepeatedRequest = { method: 'GET', path: '/livez' };

/**
 * Repeats a request until the service refuses connections, or until it is told to end. Collects every other failure
 * and every answer other than 200.
 */
export async function untilRefused(
  url: string,
  keepAlive: boolean,
  next: () => RepeatedRequest = () => isAlive,
  isOver: () => boolean = () => false,
): Promise<{ answered: number; failed: string[] }> {
  const agent = new Agent({ keepAlive, maxSockets: 1 });
  const failed: string[] = [];
  let answered = 0;
  while (!isOver()) {
    const result = await once(url, agent, next());
    if (result === 'ECONNREFUSED') break;
    if (result === '200') answered += 1;
    else failed.push(result);
    if (failed.length > 20) break;
  }
  agent.destroy();
  return { answered, failed };
}

function once(url: string, agent: Agent, { method, path, headers, body }: RepeatedRequest): Promise<string> {
  return new Promise((resolve) => {
    const asked = ask(`${url}${path}`, { agent, method, headers }, (response) => {
      response.resume();
      response.once('end', () => resolve(String(response.statusCode)));
      response.once('error', ({ message }) => resolve(message));
    });
    asked.once('error', (error: NodeJS.ErrnoException) =>
      // The server may close a reused connection at the same moment.
      resolve(`${error.code ?? error.message}${asked.reusedSocket ? ' on a connection used before' : ''}`),
    );
    asked.end(body);
  });
}
