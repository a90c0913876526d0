import { setMember, withValuesAt, type JsonObject, type JsonValue } from '@app/mapper';
import type { WriteCommand, WriteOutcome } from '../../connector';
import { companyUrl, setUrl } from '../addresses';
import { decimalOf } from '../pages/field-kinds';
import { documentPage, pages } from '../pages/pages';
import { textIn } from '../pages/compare-fields';
import { paymentCurrency } from '../reading/payment-currency';
import { readRecord } from '../reading/read-record';
import type { Session } from '../session';
import { bodyOf } from './bodies';
import { candidatesFor } from './candidates';
import type { CreationNotes, PaymentNotes } from './creation-notes';
import { ZERO } from './decimals';
import { newLine } from './only-line';
import { isOffPage, NO_CURRENCY } from './payment-page';
import { refusalOf } from './refusals';
import { changesNotShown } from './changes-shown';
import { changesShownOtherwise } from './changes-shown-otherwise';
import { updateRecord } from './update-record';
import type { WriteSession } from './write-session';

/**
 * Creates a record and reads it back.
 *
 * @param notes the state right before the creation
 * @throws PlatformError; NotPermitted
 */
export async function createRecord(
  writer: WriteSession,
  command: WriteCommand,
  notes: CreationNotes,
): Promise<WriteOutcome> {
  const { session, signal } = writer;
  const { entityType } = command;
  const reason =
    refusalOf(command, undefined) ??
    (entityType === 'payment' ? await paymentRefusal(session, command, notes, signal) : undefined);
  if (reason !== undefined) return { status: 'rejected', reason };
  const { url, body } = creationOf(session, command, notes.payment);
  const sent = await writer.send('POST', url, body);
  switch (sent.kind) {
    case 'done': {
      const id = sent.body && textIn(sent.body, 'id');
      // The record was created. Only a read can find its key.
      if (id === undefined || id === '') return { status: 'uncertain' };
      writer.progress.noteCreated(id);
      return finished(writer, command, id);
    }
    case 'duplicate': {
      const [found, ...others] = await candidatesFor(session, command, notes, signal);
      if (found !== undefined && others.length === 0) return foundAgain(writer, command, found);
      return entityType === 'payment'
        ? {
            status: 'deferred',
            until: writer.retryTime(),
            reason: 'its line of the journal was taken meanwhile',
          }
        : { status: 'rejected', reason: sent.reason };
    }
    case 'gone':
      return { status: 'rejected', reason: 'platform_b does not have what it refers to' };
    case 'stale':
      return {
        status: 'deferred',
        until: writer.retryTime(),
        reason: 'platform_b was busy with the same records',
      };
    case 'ended':
      return sent.outcome;
  }
}

/**
 * Finds a record with the same natural key that has appeared since the notes. An earlier attempt or another user may
 * have created it. If its values differ from the command's, settling decides.
 *
 * @throws PlatformError
 */
async function foundAgain(writer: WriteSession, command: WriteCommand, id: string): Promise<WriteOutcome> {
  const { session, signal } = writer;
  const record = await readRecord(session, command.entityType, id, signal);
  const isOurs =
    record !== undefined && (await changesShownOtherwise(session, command, record, signal)).length === 0;
  return isOurs ? finished(writer, command, id) : { status: 'uncertain' };
}

/**
 * Reads the new record. Fields that the platform did not store as sent are written once more. After that the creation
 * is applied, and the outcome names the fields that still differ.
 *
 * @throws PlatformError
 */
export async function finished(
  writer: WriteSession,
  command: WriteCommand,
  id: string,
): Promise<WriteOutcome> {
  const { session, signal } = writer;
  const { entityType } = command;
  const record = await readRecord(session, entityType, id, signal);
  if (record === undefined) return { status: 'uncertain' };
  const changes = (await changesNotShown(session, entityType, command.changes, record, signal)).filter(
    ({ value }) => value !== null,
  );
  if (changes.length === 0) return { status: 'applied', payload: record };
  const outcome = await updateRecord(writer, { ...command, changes, platformId: id }, undefined);
  switch (outcome.status) {
    case 'rejected': {
      const { reason, current = record } = outcome;
      return { status: 'applied', payload: current, refused: { changes, reason } };
    }
    case 'conflict': {
      const reason = 'others changed the new record each time it was tried';
      return { status: 'applied', payload: outcome.current, refused: { changes, reason } };
    }
    case 'deferred':
      return { status: 'uncertain' };
    default:
      return outcome;
  }
}

/** The call that creates a record. It contains the lines, so the platform creates all of it or nothing. */
function creationOf(
  { settings }: Session,
  { entityType, changes }: WriteCommand,
  payment: PaymentNotes | undefined,
): { readonly url: string; readonly body: JsonObject } {
  const document = documentPage(entityType);
  const given = changes.filter(
    (change) =>
      change.value !== null && change.path[0] !== document?.total && !isOffPage(settings, entityType, change),
  );
  const body: Record<string, JsonValue> = { ...bodyOf(pages[entityType], given) };
  if (payment !== undefined) {
    const numbered = { lineNumber: payment.line, ...body };
    return settings.payments_url === undefined
      ? {
          url: `${companyUrl(settings)}/customerPaymentJournals(${payment.journal})/customerPayments`,
          body: numbered,
        }
      : { url: settings.payments_url, body: { journalId: payment.journal, ...numbered } };
  }
  const total = document && changes.find(({ path }) => path.length === 1 && path[0] === document.total);
  if (document !== undefined && total !== undefined) {
    const amount = decimalOf(total.value) ?? ZERO;
    setMember(body, document.lines, [newLine(document, body, amount)]);
  }
  return { url: setUrl(settings, entityType), body };
}

async function paymentRefusal(
  session: Session,
  { changes }: WriteCommand,
  { payment }: CreationNotes,
  signal: AbortSignal,
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
