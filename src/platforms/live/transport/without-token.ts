import { PlatformResponse } from '../platform-response';
import type { PlatformResult } from '../platform-result';

/** What stands where a token was. */
const MASK = '[token]';

/** A shorter one would be found in ordinary words. */
const SHORTEST = 8;

/** Characters of a token that are searched for; what follows them is compared. */
const LONGEST_SEARCHED = 32;

/**
 * The result of a call, with the token masked that it was sent with. Gateways may repeat the headers of a request that
 * they refuse, and a platform's messages and request IDs are passed on to the client, the history and the log.
 *
 * @param authorization the header that was sent; undefined for a call without it
 * @param inRecords whether to mask the token in the body of a successful response too
 */
export function withoutToken(
  result: PlatformResult,
  authorization: string | undefined,
  inRecords = false,
): PlatformResult {
  const token = authorization?.slice(authorization.indexOf(' ') + 1);
  if (result.kind !== 'answered' || token === undefined || token.length < SHORTEST) return result;
  const { response } = result;
  const headers = Object.entries(response.headers);
  // The service takes words from refusals only. From 2xx responses it takes records.
  const body = response.ok && !inRecords ? undefined : response.text;
  const masked = Object.fromEntries(headers.map(([name, value]) => [name, withMask(value, token)]));
  const maskedBody = body === undefined ? undefined : withMask(body, token);
  const isInHeaders = headers.some(([name, value]) => masked[name] !== value);
  if (!isInHeaders && maskedBody === body) return result;
  return {
    ...result,
    response:
      maskedBody === undefined || maskedBody === body
        ? response.withHeaders(masked)
        : new PlatformResponse(response.status, masked, Buffer.from(maskedBody)),
  };
}

// Looks for the begin of the token only. The platform chooses both token and text, and a search for many thousand
// characters can take as many steps for each character of the text.
function withMask(text: string, token: string): string {
  const begin = token.slice(0, LONGEST_SEARCHED);
  let masked = '';
  let copied = 0;
  for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, copied)) {
    let length = begin.length;
    while (length < token.length && text.charCodeAt(at + length) === token.charCodeAt(length)) length += 1;
    masked += text.slice(copied, at) + MASK;
    copied = at + length;
  }
  return copied === 0 ? text : masked + text.slice(copied);
}
