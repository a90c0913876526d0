import type { ApiResponse } from '../app/api';
import type { Keyed, ModelCustomer } from './customer';

/** Expects one of the statuses that a valid or refused request may have. An answer that no request may have fails. */
export function expectPossible(answer: ApiResponse, ...statuses: readonly number[]): void {
  expect({ answer: answer.text, known: statuses.includes(answer.status) }).toEqual({
    answer: answer.text,
    known: true,
  });
}

const isUnderWay = ({ status, body }: ApiResponse): boolean =>
  status === 409 && /still under way|is under way; try again/.test(body.error.message);

/** A request of a client, sent once or twice at once, and the function that counts its effect. */
interface KeyedRequest {
  readonly send: (client: number, headers: Record<string, string>) => Promise<ApiResponse>;
  readonly isTwice: boolean;
  readonly client: number;
  readonly note: (answer: ApiResponse) => void;
}

/**
 * Sends a request with a new key. If it is sent twice, both answers are the same. If the service keeps no answer, a
 * later {@link repeat} may still do the work.
 */
export async function withKey(
  customer: ModelCustomer,
  { send, isTwice, client, note }: KeyedRequest,
): Promise<void> {
  const headers = { 'Idempotency-Key': `key-${customer.next()}` };
  const again = (place: number): Promise<ApiResponse> => send(place, headers);
  const answers = await Promise.all(isTwice ? [again(client), again(client + 1)] : [again(client)]);
  const done = answers.filter((answer) => !isUnderWay(answer));
  const kept = done.filter(isKept);
  for (const answer of kept) expectSame(answer, kept[0]);
  expect(
    kept.filter(({ headers: got }) => got.get('Idempotent-Replayed') === null).length,
  ).toBeLessThanOrEqual(1);
  for (const answer of done) note(answer);
  customer.keyed.push({ send: again, note, answer: kept[0] });
}

/** Sends a request with its key again. Expects the kept answer; if none was kept, the work is done now. */
export async function repeat(customer: ModelCustomer, one: Keyed, client: number): Promise<void> {
  const answer = await one.send(client);
  if (answer.headers.get('Idempotent-Replayed') === 'true') customer.service.met.add('replayed');
  if (one.answer !== undefined) return expectSame(answer, one.answer);
  if (isUnderWay(answer)) return;
  one.note(answer);
  if (isKept(answer)) one.answer = answer;
}

/**
 * The service keeps every answer to completed work. It validates bad input anew each time, and reports the progress of
 * a connect anew.
 */
const isKept = ({ status }: ApiResponse): boolean => status !== 400 && status !== 202;

/** A replay has the body of the first answer, except that an error names the ID of its own request. */
function expectSame(one: ApiResponse, other: ApiResponse | undefined): void {
  const said = (answer: ApiResponse | undefined): unknown =>
    answer !== undefined && answer.status >= 400
      ? [answer.status, answer.body.error.message, answer.body.error.details]
      : [answer?.status, answer?.text];
  expect(said(one)).toEqual(said(other));
}

/** Counts a command that found nothing to work on. */
export function nothing(customer: ModelCustomer): void {
  customer.idle += 1;
}
