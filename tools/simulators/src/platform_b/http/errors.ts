import type { Reply, SeededRandom } from '../../server';
import type { ODataError } from '../odata-error';
import { inLanguageOf } from './language';

/**
 * An error as it goes over the wire: its message is in the language of the caller, and ends in the correlation ID, which
 * stands in a header as well.
 */
export function errorReply(
  { status, code, message, headers }: ODataError,
  acceptLanguage: string | undefined,
  random: SeededRandom,
): Reply {
  const correlation = random.guid();
  return {
    status,
    headers: { ...headers, 'ms-correlation-x': correlation },
    json: {
      error: { code, message: `${inLanguageOf(acceptLanguage, message)}  CorrelationId:  ${correlation}.  ` },
    },
  };
}
