import type { HistoryEntry } from '@app/client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useApi } from '../../data/api';
import { usePages } from '../../data/pages';
import { platforms } from '../../data/queries';
import { hrefOf } from '../../location';
import { Instant } from '../../parts/values/instant';
import { Loaded } from '../../parts/loaded';
import { Outcome } from '../../parts/outcome';
import { Pager } from '../../parts/tables/pager';
import { historyGroups, shownFields } from './history-groups';
import { fieldWords, originWords } from '../../parts/words/object-words';
import { Value } from '../value';

/** Fields of an entry that show without being opened. A record that appears has many. */
const SHOWN_AT_ONCE = 8;

/** Entries of a page: they are longer than rows of a table. */
const PAGE = 50;

interface HistoryProps {
  readonly id: string;
  /** The address of the object. */
  readonly path: string;
}

/** What changed the object, newest first. */
export function History({ id, path }: HistoryProps): ReactNode {
  const api = useApi();
  const pages = usePages(['history', id], (cursor, signal) =>
    api.objectHistory(id, { limit: PAGE, ...(cursor !== undefined && { cursor }) }, { signal }),
  );
  return (
    <Loaded query={pages.query} what="the history" rows={8}>
      {({ data, next_cursor: next }) => (
        <div className="card">
          <ol className="history" aria-label="History, newest first">
            {historyGroups(data).map((group) =>
              group.kind === 'entry' ? (
                <li key={group.entry.at} className={group.entry.change}>
                  <Entry entry={group.entry} path={path} />
                </li>
              ) : (
                <li key={group.entries[0]?.at}>
                  <details>
                    <summary>
                      {group.entries.length === 1 ? '1 reading' : `${group.entries.length} readings`} without
                      a change of a value
                    </summary>
                    {group.entries.map((entry) => (
                      <Entry key={entry.at} entry={entry} path={path} />
                    ))}
                  </details>
                </li>
              ),
            )}
          </ol>
          {data.length === 0 && (
            <p>
              {next === null
                ? 'Nothing is kept of its history: it is older than what is kept.'
                : 'None on this page. The search goes on with the next one.'}
            </p>
          )}
          <Pager what="the history" steps={pages} />
        </div>
      )}
    </Loaded>
  );
}

const changeWords = { appeared: 'Appeared', changed: 'Changed', disappeared: 'Disappeared' } as const;

function Entry({ entry, path }: { readonly entry: HistoryEntry; readonly path: string }): ReactNode {
  const { at, change, origin, records, disagreements, outcomes } = entry;
  const fields = shownFields(entry);
  return (
    <div className="entry-of-history">
      <p>
        <strong>
          {changeWords[change]}, <Instant at={at} />
        </strong>{' '}
        · <bdi>{originWords(origin)}</bdi> ·{' '}
        <Link href={hrefOf(path, { as_of: at })}>
          as of then<span className="hidden">, {at}</span>
        </Link>
      </p>
      {origin.reason !== undefined && <p className="reason">{origin.reason}</p>}
      {fields.length > SHOWN_AT_ONCE ? (
        <details>
          <summary>{fields.length} fields</summary>
          <FieldChanges fields={fields} />
        </details>
      ) : (
        <FieldChanges fields={fields} />
      )}
      {records !== undefined && (
        <p>
          Records before: {recordsText(records.before)}. After: {recordsText(records.after)}.
        </p>
      )}
      {disagreements !== undefined && (
        <p>
          {disagreements.appeared.length > 0 && `Began to differ: ${fieldsText(disagreements.appeared)}. `}
          {disagreements.settled.length > 0 && `No longer differ: ${fieldsText(disagreements.settled)}. `}
          {disagreements.changed !== undefined &&
            `Differ in another way: ${fieldsText(disagreements.changed)}.`}
        </p>
      )}
      {platforms.flatMap((platform) => {
        const outcome = outcomes?.[platform];
        if (outcome === undefined) return [];
        return [
          <div key={platform}>
            <Outcome platform={platform} outcome={outcome} />
            <NativeChanges outcome={outcome} />
          </div>,
        ];
      })}
      {origin.request_id !== undefined && (
        <p className="quiet">
          Request <code>{origin.request_id}</code>
        </p>
      )}
    </div>
  );
}

function FieldChanges({ fields }: Pick<HistoryEntry, 'fields'>): ReactNode {
  if (fields.length === 0) return null;
  return (
    <ul>
      {fields.map(({ field, before, after }) => (
        <li key={field}>
          {fieldWords(field)}: {before !== undefined && <Value of={before} />}
          {before !== undefined && ' → '}
          {after === undefined ? 'gone' : <Value of={after} />}
        </li>
      ))}
    </ul>
  );
}

type NativeOutcome = NonNullable<NonNullable<HistoryEntry['outcomes']>['platform_a']>;

/** What the platform had before the write and has after it, in its own words. */
function NativeChanges({
  outcome: { before = {}, after = {}, currency },
}: {
  readonly outcome: NativeOutcome;
}): ReactNode {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  if (paths.length === 0) return null;
  return (
    <ul aria-label="In the platform’s own words">
      {paths.map((path) => (
        <li key={path}>
          <code>{path}</code>: {path in before && <code>{JSON.stringify(before[path])} → </code>}
          <code>{JSON.stringify(after[path])}</code>
        </li>
      ))}
      {currency !== undefined && <li className="quiet">Amounts in {currency}</li>}
    </ul>
  );
}

function recordsText(
  records: readonly { readonly platform: string; readonly platform_id: string }[],
): string {
  return records.length === 0
    ? 'none'
    : records.map(({ platform, platform_id: id }) => `${platform} ${id}`).join(', ');
}

function fieldsText(fields: readonly string[]): string {
  return fields.map(fieldWords).join(', ');
}
