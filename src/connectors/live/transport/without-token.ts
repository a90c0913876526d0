import { PlatformResponse } from './platform-response';
import type { PlatformResult } from './platform-result';

/** What stands where a token was. */
const MASK = '[token]';

/** A shorter one would be found in ordinary words. */
const SHORTEST = 8;

/**
 * What came of a call, without the token that it was sent with. Gateways repeat the headers of a request that they refuse, and
 * a platform's words of refusal and its request IDs go on: to the client, into history, into the log.
 *
 * @param authorization the header that was sent; undefined for a call without
 */
export function withoutToken(result: PlatformResult, authorization: string | undefined): PlatformResult {
  const token = authorization?.replace(/^\S+\s+/, '');
  if (result.kind !== 'answered' || token === undefined || token.length < SHORTEST) return result;
  const { response } = result;
  const headers = Object.entries(response.headers);
  // What is taken over from an answer of success is records; only those of refusals are words.
  const body = response.ok ? undefined : response.text;
  const isInHeaders = headers.some(([, value]) => value.includes(token));
  const isInBody = body?.includes(token) ?? false;
  if (!isInHeaders && !isInBody) return result;
  const masked = Object.fromEntries(headers.map(([name, value]) => [name, value.replaceAll(token, MASK)]));
  return {
    ...result,
    response:
      body === undefined || !isInBody
        ? response.withHeaders(masked)
        : new PlatformResponse(response.status, masked, Buffer.from(body.replaceAll(token, MASK))),
  };
}
