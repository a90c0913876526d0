import { SetMetadata } from '@nestjs/common';

export const ANY_QUERY = 'http:any-query';

/** The routes take a query of any names, and read nothing of it, or read it themselves: no caller of the API asks them. */
export const AnyQuery = (): ClassDecorator => SetMetadata(ANY_QUERY, true);
