import { Body, Query } from '@nestjs/common';
import { DtoPipe } from './dto.pipe';

/** Marks a handler whose query {@link ValidQuery} reads. */
export const READS_QUERY = 'http:reads-query';

// The pipe is bound to the body and the query, not to all parameters. Nest creates about nine promises for each
// parameter, even if the pipe has nothing to do.
const pipe = new DtoPipe();

/**
 * The body of the request as its DTO. Nest's own `Body` would pass on the unchecked input.
 *
 * @throws ApiError 400 naming each invalid member
 */
export const ValidBody = (): ParameterDecorator => Body(pipe);

/**
 * The query of the request as its DTO. Nest's own `Query` would pass on the unchecked input.
 *
 * @throws ApiError 400 naming each invalid parameter, and each that the DTO does not declare
 */
export const ValidQuery = (): ParameterDecorator => (target, name, index) => {
  Query(pipe)(target, name, index);
  const handler: unknown = name === undefined ? undefined : Reflect.get(target, name);
  if (typeof handler !== 'function') throw new TypeError('Only handlers read a query');
  Reflect.defineMetadata(READS_QUERY, true, handler);
};
