import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, type ApiHeaderOptions } from '@nestjs/swagger';
import type { Request } from 'express';

/**
 * Creates a parameter decorator for a header of the request. It also adds the header to the API's description of the
 * endpoint.
 *
 * @param read the parameter's value; may throw ApiError
 */
export function headerParameter<Value>(
  options: ApiHeaderOptions,
  read: (request: Request) => Value,
): () => ParameterDecorator {
  const describe = ApiHeader(options);
  return createParamDecorator(
    (_: unknown, context: ExecutionContext): Value => read(context.switchToHttp().getRequest<Request>()),
    [
      (target, name) => {
        const descriptor = name === undefined ? undefined : Object.getOwnPropertyDescriptor(target, name);
        if (name !== undefined && descriptor !== undefined) describe(target, name, descriptor);
      },
    ],
  );
}
