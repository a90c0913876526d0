import { Body, Query } from '@nestjs/common';
import { DtoPipe } from './dto.pipe';

/** Says of a handler that {@link ValidQuery} reads its query. */
export const READS_QUERY = 'http:reads-query';

// Bound to what it reads, not to all parameters: Nest takes some nine promises to bring one through a pipe that has nothing to do.
const pipe = new DtoPipe();

/**
 * The body of the request as its DTO. Nest's own `Body` would hand over what was sent.
 *
 * @throws ApiError 400 naming each member that does not fit
 */
export const ValidBody = (): ParameterDecorator => Body(pipe);

/**
 * The query of the request as its DTO. Nest's own `Query` would hand over what was sent.
 *
 * @throws ApiError 400 naming each parameter that does not fit, and each that the DTO does not declare
 */
export const ValidQuery = (): ParameterDecorator => (target, name, index) => {
  Query(pipe)(target, name, index);
  const handler: unknown = name === undefined ? undefined : Reflect.get(target, name);
  if (typeof handler !== 'function') throw new TypeError('Only handlers read a query');
  Reflect.defineMetadata(READS_QUERY, true, handler);
};
