import { Agent, request as ask } from 'node:http';

/** A request of a client that asks again and again. */
export interface RepeatedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const isAlive: RepeatedRequest = { method: 'GET', path: '/livez' };

/**
 * Asks a service again and again until nobody listens, or until it is over; every other failure counts, and so does an answer
 * that is not 200.
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
      // A connection that is used again may be closed by the server at the same moment.
      resolve(`${error.code ?? error.message}${asked.reusedSocket ? ' on a connection used before' : ''}`),
    );
    asked.end(body);
  });
}
