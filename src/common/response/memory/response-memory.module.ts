import { Global, Module } from '@nestjs/common';
import { LOGGER, type Logger } from '../../../runtime/logging/logger';
import { loggedRequest } from '../../../runtime/tracing/request-context';
import { ANSWER_LIMITS, ResponseMemory } from './response-memory';

/** Provides the only account of the memory of responses in this process. */
@Global()
@Module({
  providers: [
    {
      provide: ResponseMemory,
      inject: [LOGGER],
      useFactory: (logger: Logger) =>
        new ResponseMemory(ANSWER_LIMITS, ({ response, reason, unread, milliseconds }) =>
          logger.warn(
            {
              ...loggedRequest(response.req.context),
              customer_id: response.req.caller?.customer.id,
              reason,
              unread_bytes: unread,
              unread_ms: milliseconds,
            },
            'An unread answer was cut off',
          ),
        ),
    },
  ],
  exports: [ResponseMemory],
})
export class ResponseMemoryModule {}
