import type { FoundObject } from '@app/client';
import { useEffect, useId, useRef, type FormEvent, type ReactNode, type RefObject } from 'react';
import { Link } from 'wouter';
import { useApi } from '../data/api';
import { PAGE_SIZE, usePages } from '../data/pages';
import { hrefOf, navigate, useQueryMembers } from '../location';
import { FieldValue } from '../parts/values/field-value';
import { focusOf, LetterSwitch, onLetter, SlashHint, useLetters } from '../parts/letter-keys';
import { Loaded } from '../parts/loaded';
import { countText } from '../parts/values/money-text';
import { Page } from '../parts/page';
import { Pager } from '../parts/tables/pager';
import { Table, type Column } from '../parts/tables/table';
import { TypeOptions } from '../parts/dialogs/type-options';
import { findQueryOf, statusesOf, type FindQuery } from './find-query';
import { labelOf } from '../parts/words/label';
import { textsOf } from '../parts/form-texts';

/** Finds objects by words of their number, title or name. */
export default function FinderScreen(): ReactNode {
  const query = findQueryOf(useQueryMembers());
  const field = useRef<HTMLInputElement>(null);
  const [hasLetters, setLetters] = useLetters();
  return (
    <div
      className="contents"
      onKeyDown={(event) => {
        if (hasLetters) onLetter(event, { '/': focusOf(field.current) });
      }}
    >
      <Page title="Objects">
        <FinderForm query={query} field={field} />
        <p className="quiet row-keys">
          <SlashHint /> <LetterSwitch isOn={hasLetters} onChange={setLetters} />
        </p>
        {query.q === undefined ? (
          <div className="card empty">
            <h2>Which object?</h2>
            <p>
              Type the beginning of words of its number, title or name, such as <code>INV-2025</code>. Both
              platforms are searched.
            </p>
          </div>
        ) : (
          <Found query={{ ...query, q: query.q }} />
        )}
      </Page>
    </div>
  );
}

interface FinderFormProps {
  readonly query: FindQuery;
  readonly field: RefObject<HTMLInputElement | null>;
}

function FinderForm({ query, field: q }: FinderFormProps): ReactNode {
  const id = useId();
  const status = useRef<HTMLSelectElement>(null);
  // The fields follow the address, and stay in place: a field that was made anew would lose the focus of the keyboard.
  useEffect(() => {
    if (q.current !== null) q.current.value = query.q ?? '';
  }, [query.q, q]);
  useEffect(() => {
    if (status.current !== null) status.current.value = query.status ?? '';
  }, [query.type, query.status]);
  const find = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    navigate(hrefOf('/objects', textsOf(event.currentTarget)));
  };
  return (
    <form className="scope" role="search" onSubmit={find}>
      <label htmlFor={`${id}-q`}>
        Number, title or name
        <input ref={q} id={`${id}-q`} type="search" name="q" maxLength={200} />
      </label>
      <label htmlFor={`${id}-type`}>
        Type
        <select
          id={`${id}-type`}
          name="type"
          value={query.type}
          // Each type has words of its own for its status.
          onChange={({ target }) =>
            navigate(hrefOf('/objects', { q: query.q, type: target.value }), { replace: true })
          }
        >
          <TypeOptions />
        </select>
      </label>
      <label htmlFor={`${id}-status`}>
        Status
        <select ref={status} id={`${id}-status`} name="status">
          <option value="">any</option>
          {statusesOf[query.type].map((status) => (
            <option key={status} value={status}>
              {status.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" className="primary">
        Find
      </button>
    </form>
  );
}

const columns: readonly Column<FoundObject>[] = [
  {
    name: 'Object',
    cell: ({ canonical_id: id, data }) => (
      <Link href={`/objects/${encodeURIComponent(id)}`} className="name">
        {labelOf(data) ?? id}
      </Link>
    ),
    isHead: true,
  },
  { name: 'Status', cell: ({ data }) => <FieldValue of={data.status?.replaceAll('_', ' ')} /> },
  {
    name: 'Amount',
    cell: ({ data }) => ('amount' in data ? <FieldValue of={data.amount} /> : '–'),
    isNumber: true,
  },
  { name: 'On', cell: ({ mappings }) => mappings.map(({ platform }) => platform).join(', ') },
];

function Found({
  query: { q, type, status },
}: {
  readonly query: FindQuery & { readonly q: string };
}): ReactNode {
  const api = useApi();
  const pages = usePages(['objects', { q, type, status }], (cursor, signal) =>
    api.findObjects(
      {
        q,
        entity_type: type,
        count: true,
        limit: PAGE_SIZE,
        ...(status !== undefined && { status }),
        ...(cursor !== undefined && { cursor }),
      },
      { signal },
    ),
  );
  return (
    <Loaded query={pages.query} what="the objects" rows={8}>
      {({ data, next_cursor: further, total = data.length, total_exact: isExact = true }) => (
        <div className="card">
          <Table
            caption={captionOf(
              pages.firstRow,
              data.length,
              `${isExact ? '' : 'more than '}${countText(total)}`,
            )}
            label="Objects"
            columns={columns}
            rows={data}
            keyOf={({ canonical_id: id }) => id}
            empty={
              further === null
                ? 'No such object. Try fewer words, another type, or any status; a record is found once its platform was read.'
                : 'None on this page. The search goes on with the next one.'
            }
          />
          <Pager what="the objects" steps={pages} />
        </div>
      )}
    </Loaded>
  );
}

/** A page may have fewer rows than its limit while the search goes on, so that rows behind one have no known number. */
function captionOf(first: number, rows: number, total: string): string {
  if (rows === 0) return `${total} found`;
  return first === 1
    ? `1–${countText(rows)} of ${total} found`
    : `${countText(rows)} on this page of ${total} found`;
}
