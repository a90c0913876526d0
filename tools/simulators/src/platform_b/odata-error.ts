/** An error as the ERP answers it. The message is for the caller; the correlation ID is added when it is sent. */
export class ODataError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The request itself is wrong. */
export function badRequest(message: string, code = 'BadRequest'): ODataError {
  return new ODataError(400, code, message);
}

/** A rule of the application, in the words of its dialog. */
export function refusedByRule(message: string): ODataError {
  return new ODataError(400, 'Application_DialogException', message);
}

/** A rule that stands on a field of a table. */
export function refusedByField(message: string): ODataError {
  return new ODataError(400, 'Application_FieldValidationException', message);
}

/** A code that no record of the related table has. */
export function unknownCode(field: string, value: string, table: string): ODataError {
  return new ODataError(
    400,
    'Internal_InvalidTableRelation',
    `The field ${field} of the record contains a value (${value}) that cannot be found in the related table (${table}).`,
  );
}

/** A name in the query options that the entity does not have, or a query that cannot be read. */
export function badQuery(message: string): ODataError {
  return new ODataError(404, 'BadRequest_NotFound', message);
}

/** A segment of the path that names nothing. */
export function unknownSegment(segment: string): ODataError {
  return new ODataError(
    404,
    'BadRequest_ResourceNotFound',
    `Resource not found for the segment '${segment}'.`,
  );
}

/** A method that the resource does not have. */
export function wrongMethod(method: string): ODataError {
  return new ODataError(
    405,
    'BadRequest_MethodNotAllowed',
    `'${method}' requests are not supported for this resource.`,
  );
}
