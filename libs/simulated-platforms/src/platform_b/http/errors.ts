import type { Reply, SeededRandom } from '../../server';
import type { ODataError } from '../odata-error';

/** An error as it goes over the wire: its message ends in the correlation ID, which stands in a header as well. */
export function errorReply({ status, code, message, headers }: ODataError, random: SeededRandom): Reply {
  const correlation = random.guid();
  return {
    status,
    headers: { ...headers, 'ms-correlation-x': correlation },
    json: { error: { code, message: `${message}  CorrelationId:  ${correlation}.  ` } },
  };
}
