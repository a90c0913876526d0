import type { ObjectRecord } from '@app/client';
import { useId, useState, type ReactNode, type Ref } from 'react';
import { useApi } from '../data/api';
import type { CaseDetail } from '../data/cases';
import { usePages } from '../data/pages';
import type { Platform } from '../data/queries';
import { FieldValue } from '../parts/values/field-value';
import { Loaded } from '../parts/loaded';
import { Pager } from '../parts/tables/pager';
import { Table } from '../parts/tables/table';
import { TextField } from '../parts/dialogs/text-field';
import type { RecordName } from '../data/decisions';
import { isSameRecord } from './queue';
import { factsOf, type ChosenRecord, type RecordFacts } from './record-facts';

interface FindRecordProps extends Choosing {
  readonly field: Ref<HTMLInputElement>;
}

interface Choosing {
  readonly one: CaseDetail;
  readonly platform: Platform;
  readonly chosen: RecordName | undefined;
  readonly onChoose: (record: ChosenRecord) => void;
}

/** Finds, by number, title or name, the record that the other platform has under another key. */
export function FindRecord({ field, one, platform, chosen, onChoose }: FindRecordProps): ReactNode {
  const heading = useId();
  const [text, setText] = useState('');
  const [q, setQ] = useState('');
  return (
    <section className="card" aria-labelledby={heading}>
      <h3 id={heading}>Find it on {platform}</h3>
      <form
        className="scope"
        onSubmit={(event) => {
          event.preventDefault();
          setQ(text.trim());
        }}
      >
        <TextField field={field} label="Number, title or name" value={text} onChange={setText} required />
        <button type="submit">Find</button>
      </form>
      {q !== '' && <Found q={q} one={one} platform={platform} chosen={chosen} onChoose={onChoose} />}
    </section>
  );
}

/** As many as are looked through beside the case. */
const FOUND = 20;

/** Records of the platform alone: a page of the objects of both may have none of them, and more behind it. */
function Found({ q, ...choosing }: Choosing & { readonly q: string }): ReactNode {
  const api = useApi();
  const { platform } = choosing;
  const { entity_type: type } = choosing.one;
  const pages = usePages(['found', platform, type, q], (cursor, signal) =>
    api.objects(
      { platform, entity_type: type, q, limit: FOUND, ...(cursor !== undefined && { cursor }) },
      { signal },
    ),
  );
  return (
    <Loaded query={pages.query} what="what was found" rows={3}>
      {({ data, next_cursor: further }) => (
        <>
          <Results {...choosing} rows={data} isAll={further === null} />
          <Pager what="what was found" steps={pages} />
        </>
      )}
    </Loaded>
  );
}

interface ResultsProps extends Choosing {
  readonly rows: readonly ObjectRecord[];
  /** Whether there is nothing behind them. */
  readonly isAll: boolean;
}

function Results({ rows, isAll, one, platform, chosen, onChoose }: ResultsProps): ReactNode {
  const own = one.records[0]?.platform;
  const group = useId();
  return (
    <Table
      caption={`Found on ${platform}`}
      label={`Found on ${platform}`}
      rows={rows}
      keyOf={({ id }) => id}
      empty={
        isAll
          ? `Nothing on ${platform} has words that begin like this. Try fewer of them, or the first characters of each.`
          : 'None on this page. The search goes on with the next one.'
      }
      columns={[
        {
          name: 'Record',
          isHead: true,
          cell: ({ id, mappings, data }) => {
            const record = { platform, platform_id: id };
            const isTaken = mappings.some((mapping) => mapping.platform === own);
            return (
              <label className="text">
                <input
                  type="radio"
                  name={group}
                  disabled={isTaken}
                  checked={chosen !== undefined && isSameRecord(chosen, record)}
                  onChange={() => onChoose({ ...record, facts: factsOfObject(data) })}
                />{' '}
                {record.platform_id}
                {isTaken && <span className="quiet"> has a record on {own} already</span>}
              </label>
            );
          },
        },
        { name: 'Names', cell: ({ data }) => <FieldValue of={factsOfObject(data).names} /> },
        {
          name: 'Amount',
          isNumber: true,
          cell: ({ data }) => <FieldValue of={'amount' in data ? data.amount : null} />,
        },
        { name: 'Date', cell: ({ data }) => <FieldValue of={dateOf(data)} /> },
      ]}
    />
  );
}

function factsOfObject(data: ObjectRecord['data']): RecordFacts {
  const fields = new Map<string, unknown>(Object.entries(data));
  return factsOf((field) => fields.get(field));
}

function dateOf(data: ObjectRecord['data']): unknown {
  if ('date' in data) return data.date;
  if ('invoice_date' in data) return data.invoice_date;
  return 'contract_date' in data ? data.contract_date : null;
}
