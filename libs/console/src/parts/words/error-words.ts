import { ApiError, ClientError, ConnectionFailed, RequestAborted, UnexpectedResponse } from '@app/client';

/** An error as a person needs it: a sentence, what programs call it, and the ID to quote. */
export interface ErrorWords {
  readonly sentence: string;
  readonly type: string;
  readonly requestId: string | undefined;
}

/** The script of a screen or of a part of it did not come: the service is away, or a newer one has taken its place. */
export class PartNotLoaded extends Error {}

/** Words for anything that a call may throw. */
export function wordsOf(error: unknown): ErrorWords {
  const requestId = error instanceof ClientError ? error.requestId : undefined;
  if (isApiError(error)) return { sentence: error.detail, type: error.type, requestId };
  if (error instanceof ConnectionFailed) {
    const sentence = 'The service cannot be reached. It may be restarting, or the network is away.';
    return { sentence, type: 'no connection', requestId };
  }
  if (error instanceof RequestAborted) {
    return { sentence: 'The service did not answer in time.', type: 'no answer', requestId };
  }
  if (error instanceof UnexpectedResponse) {
    const sentence = `Something between this page and the service answered with status ${error.status}.`;
    return { sentence, type: 'other answer', requestId };
  }
  if (error instanceof PartNotLoaded) {
    const sentence =
      'This part of the console could not be loaded: the service cannot be reached, or is a newer one, for which the page has to be loaded again.';
    return { sentence, type: 'not loaded', requestId };
  }
  const sentence = `This page has met a fault of its own: ${error instanceof Error ? error.message : String(error)}`;
  return { sentence, type: 'fault', requestId };
}

/** `instanceof` alone would leave the type of the error open. */
function isApiError(error: unknown): error is ApiError {
  return error instanceof ApiError;
}
