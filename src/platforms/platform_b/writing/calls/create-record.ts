import { setMember, withValuesAt, decimalOf, ZERO, type JsonObject, type JsonValue } from '@app/mapper';
import type { CallResult, CreationResult, Done } from '../../../live/writing/send-result';
import { companyUrl, setUrl } from '../../addresses';
import type { PlatformBSettings } from '../../credentials';
import { documentPage, pages } from '../../pages/pages';
import { paymentCurrency } from '../../reading/payment-currency';
import { bodyOf } from '../fields/bodies';
import { changesNotShown } from '../fields/changes-shown';
import type { CreationNotes, PaymentNotes } from './creation-notes';
import { newLine } from '../fields/only-line';
import { isOffPage, NO_CURRENCY } from '../fields/payment-page';
import { refusalOf } from '../refusals/refusals';
import { deferred, sendWrite, type WriteContext, type WriteRequest } from '../write-context';

/**
 * The call that creates a record, or why there is none. It contains the lines, so the platform creates all of it or
 * nothing.
 *
 * @param notes the state right before the creation
 * @throws PlatformError; NotPermitted
 */
export async function creationCall(
  work: WriteContext,
  notes: CreationNotes,
): Promise<(() => Promise<CreationResult>) | Exclude<CallResult, Done>> {
  const { command, now } = work;
  const isPayment = command.entityType === 'payment';
  const reason = refusalOf(command, undefined) ?? (isPayment ? await paymentRefusal(work, notes) : undefined);
  if (reason !== undefined) return { status: 'rejected', reason };
  const request = creationRequest(work, notes.payment);
  return async () => {
    const sent = await sendWrite(work, request);
    switch (sent.status) {
      case 'duplicate': {
        const otherwise = isPayment
          ? deferred(now(), 'its line of the journal was taken meanwhile')
          : ({ status: 'rejected', reason: sent.reason } as const);
        return { status: 'duplicate', otherwise };
      }
      case 'gone':
        return { status: 'rejected', reason: 'platform_b does not have what it refers to' };
      case 'stale':
        return deferred(now(), 'platform_b was busy with the same records');
      default:
        return sent;
    }
  };
}

function creationRequest(
  { session: { settings }, command: { entityType, changes } }: WriteContext,
  payment: PaymentNotes | undefined,
): WriteRequest {
  const document = documentPage(entityType);
  const given = changes.filter(
    (change) =>
      change.value !== null && change.path[0] !== document?.total && !isOffPage(settings, entityType, change),
  );
  const body: Record<string, JsonValue> = { ...bodyOf(pages[entityType], given) };
  if (payment !== undefined) return paymentRequest(settings, payment, body);
  const total = document && changes.find(({ path }) => path.length === 1 && path[0] === document.total);
  if (document !== undefined && total !== undefined) {
    const amount = decimalOf(total.value) ?? ZERO;
    setMember(body, document.lines, [newLine(document, body, amount)]);
  }
  return { method: 'POST', url: setUrl(settings, entityType), body };
}

function paymentRequest(
  settings: PlatformBSettings,
  { journal, line }: PaymentNotes,
  fields: JsonObject,
): WriteRequest {
  const body = { lineNumber: line, ...fields };
  if (settings.payments_url !== undefined) {
    return { method: 'POST', url: settings.payments_url, body: { journalId: journal, ...body } };
  }
  const url = `${companyUrl(settings)}/customerPaymentJournals(${journal})/customerPayments`;
  return { method: 'POST', url, body };
}

async function paymentRefusal(
  { session, command: { changes }, signal }: WriteContext,
  { payment }: CreationNotes,
): Promise<string | undefined> {
  if (payment === undefined) {
    return "it is not known which journal takes payments; name one in the connection's settings";
  }
  const wanted = changes.filter((change) => isOffPage(session.settings, 'payment', change));
  if (wanted.length === 0) return undefined;
  const planned = withValuesAt({}, changes);
  const currencyCode = await paymentCurrency(session, planned, signal);
  const open = await changesNotShown(session, 'payment', wanted, { currencyCode }, signal);
  if (open.length === 0) return undefined;
  return `${NO_CURRENCY}, which is ${currencyCode}`;
}
