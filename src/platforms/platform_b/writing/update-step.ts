import { withValuesAt, type JsonObject, type NativeChange } from '@app/mapper';
import type { WriteCommand } from '../../connector';
import { recordUrl } from '../addresses';
import { decimalOf } from '../pages/field-kinds';
import { documentPage, pages } from '../pages/pages';
import { textIn } from '../pages/compare-fields';
import { bodyOf } from './bodies';
import { ZERO } from './decimals';
import { lineFor } from './only-line';
import type { SendResult } from './send-result';
import { writeDocument } from './write-document';
import type { WriteSession } from './write-session';

/** A command for a record that is there. */
export type UpdateCommand = Pick<WriteCommand, 'entityType' | 'changes' | 'referred'> & {
  readonly platformId: string;
};

/** One call of a change. */
export interface UpdateStep {
  readonly changes: readonly NativeChange[];
  /** Whether header and line go together: the header may renew the line, which is then stale without another edit. */
  readonly isBatch: boolean;
  send(writer: WriteSession): Promise<SendResult>;
}

/**
 * The call that makes changes, for the version of the record that was just read.
 *
 * @param apart a document's header before its line, each by itself
 */
export function stepOf(
  { entityType, platformId }: UpdateCommand,
  todo: readonly NativeChange[],
  current: JsonObject,
  apart: boolean,
): UpdateStep {
  const page = documentPage(entityType);
  const total = page && todo.find(({ path }) => path.length === 1 && path[0] === page.total);
  const fields = todo.filter((change) => change !== total);
  if (page === undefined) {
    return {
      changes: todo,
      isBatch: false,
      send: (writer) =>
        writer.send(
          'PATCH',
          recordUrl(writer.session.settings, entityType, platformId),
          bodyOf(pages[entityType], todo),
          { 'if-match': textIn(current, '@odata.etag') },
        ),
    };
  }
  const header = fields.length === 0 ? undefined : bodyOf(page, fields);
  const changed = withValuesAt(current, fields);
  const line =
    total === undefined || (apart && header !== undefined)
      ? undefined
      : lineFor(page, changed, decimalOf(total.value) ?? ZERO);
  if (line?.kind === 'refused') throw new Error('A line that is refused was not refused in advance');
  return {
    changes: line === undefined ? fields : todo,
    isBatch: header !== undefined && line !== undefined,
    send: (writer) => writeDocument(writer, page, current, { header, line }),
  };
}
