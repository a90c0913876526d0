import { withValuesAt, decimalOf, ZERO, type JsonObject, type NativeChange } from '@app/mapper';
import type { ExistingRecord } from '../../../live/writing/write-steps';
import { recordUrl } from '../../addresses';
import { documentPage, pages } from '../../pages/pages';
import { textIn } from '../../pages/compare-fields';
import { bodyOf } from '../fields/bodies';
import { withCurrencyKept } from '../fields/kept-currency';
import { lineFor } from '../fields/only-line';
import type { SendResult } from './send-result';
import { sendWrite, type WriteContext } from '../write-context';
import { writeDocument } from './write-document';

/** One call of a change. */
export interface PlannedCall {
  readonly changes: readonly NativeChange[];
  /**
   * Whether header and line are sent in one batch. The header may renew the version of the line, which is then stale
   * although no other user has edited it.
   */
  readonly isBatch: boolean;
  send(): Promise<SendResult>;
}

/**
 * The call that makes changes, for the version of the record that was just read.
 *
 * @param apart whether a document's header and line are sent one after the other, each in a call of its own
 */
export function callFor(
  work: WriteContext,
  { id, record: current }: ExistingRecord,
  todo: readonly NativeChange[],
  apart: boolean,
): PlannedCall {
  const { entityType } = work.command;
  const page = documentPage(entityType);
  if (page === undefined) {
    const url = recordUrl(work.session.settings, entityType, id);
    const body = bodyOf(pages[entityType], withCurrencyKept(current, todo));
    const headers = { 'if-match': textIn(current, '@odata.etag') };
    return {
      changes: todo,
      isBatch: false,
      send: () => sendWrite(work, { method: 'PATCH', url, body, headers }),
    };
  }
  const total = todo.find(({ path }) => path.length === 1 && path[0] === page.total);
  const fields = todo.filter((change) => change !== total);
  const header: JsonObject | undefined =
    fields.length === 0 ? undefined : bodyOf(page, withCurrencyKept(current, fields));
  const line =
    total === undefined || (apart && header !== undefined)
      ? undefined
      : lineFor(page, withValuesAt(current, fields), decimalOf(total.value) ?? ZERO);
  if (line?.kind === 'refused') throw new Error('A line that is refused was not refused in advance');
  return {
    changes: line === undefined ? fields : todo,
    isBatch: header !== undefined && line !== undefined,
    send: () => writeDocument(work, page, current, { header, line }),
  };
}
