import { SetMetadata } from '@nestjs/common';

/** Metadata key of {@link OwnBody}. */
export const OWN_BODY = 'http:own-body';

/** The handler reads the body itself, or ignores it. No content of the body leads to a refusal. */
export const OwnBody = (): MethodDecorator => SetMetadata(OWN_BODY, true);
