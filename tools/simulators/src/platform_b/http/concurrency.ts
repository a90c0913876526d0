import { ODataError } from '../odata-error';
import type { Row } from '../store/row';
import type { Switches } from '../switches';

const etagForm = /^W\/"[^"]+"$/;

/**
 * Checks `If-Match` of a change of a row.
 *
 * @throws ODataError 400 when it is compulsory and missing, or no etag; 409 when the row has another one
 */
export function checkIfMatch(
  given: string | undefined,
  row: Pick<Row, 'etag'>,
  switches: Switches,
  isCompulsory: boolean,
): void {
  const etag = given?.trim();
  if (etag === '*' || (etag === undefined && !isCompulsory)) return;
  if (etag === undefined || !etagForm.test(etag)) {
    throw new ODataError(
      400,
      'BadRequest_InvalidToken',
      'Could not validate the client concurrency token required by the service.',
    );
  }
  if (etag === row.etag) return;
  throw new ODataError(
    switches.get('staleEtagStatus'),
    'Request_EntityChanged',
    'Another user has already changed the record.',
  );
}
