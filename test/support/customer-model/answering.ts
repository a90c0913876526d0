import type { Answer } from '../api';
import type { Keyed, ModelCustomer } from './customer';

/** An answer that may come to a request that can be refused; what no request may come to is not among these. */
export function expectPossible(answer: Answer, ...statuses: readonly number[]): void {
  expect({ answer: answer.text, known: statuses.includes(answer.status) }).toEqual({
    answer: answer.text,
    known: true,
  });
}

const isUnderWay = ({ status, body }: Answer): boolean =>
  status === 409 && /still under way|is under way; try again/.test(body.error.message);

/** A request that a client makes, once or twice at once, and what its answers are counted by. */
interface KeyedRequest {
  readonly send: (client: number, headers: Record<string, string>) => Promise<Answer>;
  readonly isTwice: boolean;
  readonly client: number;
  readonly note: (answer: Answer) => void;
}

/**
 * Sends a request with a key of its own. A client who sends it twice gets the same answer. Where the service kept no answer, a later
 * {@link repeat} may do what was asked.
 */
export async function withKey(
  customer: ModelCustomer,
  { send, isTwice, client, note }: KeyedRequest,
): Promise<void> {
  const headers = { 'Idempotency-Key': `key-${customer.next()}` };
  const again = (place: number): Promise<Answer> => send(place, headers);
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

/** Sends a request with a key once more: it is answered as before, or done now if nothing was kept of it. */
export async function repeat(customer: ModelCustomer, one: Keyed, client: number): Promise<void> {
  const answer = await one.send(client);
  if (answer.headers.get('Idempotent-Replayed') === 'true') customer.service.met.add('replayed');
  if (one.answer !== undefined) return expectSame(answer, one.answer);
  if (isUnderWay(answer)) return;
  one.note(answer);
  if (isKept(answer)) one.answer = answer;
}

/** Bad input is judged anew each time, and a connect that goes on is told of anew; all other answers that work was done for are kept. */
const isKept = ({ status }: Answer): boolean => status !== 400 && status !== 202;

/** A replay has the body of the first answer; an error names the request that it answers. */
function expectSame(one: Answer, other: Answer | undefined): void {
  const said = (answer: Answer | undefined): unknown =>
    answer !== undefined && answer.status >= 400
      ? [answer.status, answer.body.error.message, answer.body.error.details]
      : [answer?.status, answer?.text];
  expect(said(one)).toEqual(said(other));
}

/** Counts a command that found nothing to work on. */
export function nothing(customer: ModelCustomer): void {
  customer.idle += 1;
}
