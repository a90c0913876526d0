import type { ApiResponse } from './api';

/** The form of a request ID that the service makes itself. */
export const REQUEST_ID = /^req_[A-Za-z0-9]{16,}$/;

/**
 * Expects an answer to be an error of a type, in its envelope, under the ID its header states.
 *
 * @param details what the error has beside its message; undefined where it has nothing
 */
export function expectError(
  answer: ApiResponse,
  status: number,
  type: string,
  message?: string | RegExp,
  details?: unknown,
): void {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: {
      error: {
        type,
        message: message === undefined ? expect.any(String) : expect.stringMatching(pattern(message)),
        request_id: answer.headers.get('X-Request-ID'),
        ...(details !== undefined && { details }),
      },
    },
  });
  expect(answer.headers.get('X-Request-ID')).toMatch(REQUEST_ID);
  expect(answer.headers.get('API-Version')).toBe('1.0');
  expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
}

function pattern(message: string | RegExp): RegExp {
  return typeof message === 'string'
    ? new RegExp(`^${message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`)
    : message;
}

/** Whether an answer was kept under an `Idempotency-Key` and is given again. */
export const isReplay = ({ headers }: ApiResponse): boolean => headers.get('Idempotent-Replayed') === 'true';
