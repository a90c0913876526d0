import { SetMetadata } from '@nestjs/common';

export const ANY_QUERY = 'http:any-query';

/**
 * The routes accept a query with any parameters. They read none of it, or parse it themselves. They are not part of the
 * described API.
 */
export const AnyQuery = (): ClassDecorator => SetMetadata(ANY_QUERY, true);
