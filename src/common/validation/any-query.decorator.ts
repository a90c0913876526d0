import { SetMetadata } from '@nestjs/common';

export const ANY_QUERY = 'http:any-query';

/**
 * The routes accept a query with any parameters. They read none of it, or parse it themselves. Callers of the API do
 * not use them.
 */
export const AnyQuery = (): ClassDecorator => SetMetadata(ANY_QUERY, true);
