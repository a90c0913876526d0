import { useQuery } from '@tanstack/react-query';
import { useId, useState, type ReactNode, type Ref } from 'react';
import { useApi } from '../data/api';
import type { CaseDetail } from '../data/cases';
import type { FoundObject, Platform } from '../data/queries';
import { FieldValue } from '../parts/values/field-value';
import { Loaded } from '../parts/loaded';
import { Table } from '../parts/tables/table';
import { TextField } from '../parts/dialogs/text-field';
import type { RecordName } from '../data/decisions';
import { isSameRecord } from './queue';

interface FindRecordProps extends Choosing {
  readonly field: Ref<HTMLInputElement>;
}

interface Choosing {
  readonly one: CaseDetail;
  readonly platform: Platform;
  readonly chosen: RecordName | undefined;
  readonly onChoose: (record: RecordName) => void;
}

/** Finds, by number, title or name, the record that the other platform has under another key. */
export function FindRecord({ field, one, platform, chosen, onChoose }: FindRecordProps): ReactNode {
  const api = useApi();
  const heading = useId();
  const [text, setText] = useState('');
  const [q, setQ] = useState('');
  const found = useQuery({
    queryKey: ['found', one.entity_type, q],
    queryFn: ({ signal }) => api.findObjects({ q, entity_type: one.entity_type, limit: 20 }, { signal }),
    enabled: q !== '',
  });
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
      {q !== '' && (
        <Loaded query={found} what="what was found" rows={3}>
          {({ data }) => (
            <Results
              rows={data.filter(({ records }) => records[platform] !== undefined)}
              one={one}
              platform={platform}
              chosen={chosen}
              onChoose={onChoose}
            />
          )}
        </Loaded>
      )}
    </section>
  );
}

interface ResultsProps extends Choosing {
  readonly rows: readonly FoundObject[];
}

function Results({ rows, one, platform, chosen, onChoose }: ResultsProps): ReactNode {
  const own = one.records[0]?.platform;
  const group = useId();
  return (
    <Table
      caption={`Found on ${platform}`}
      label={`Found on ${platform}`}
      rows={rows}
      keyOf={({ canonical_id: id }) => id}
      empty={<p>Nothing on {platform} has these words. Try fewer of them, or a part of the number.</p>}
      columns={[
        {
          name: 'Record',
          isHead: true,
          cell: ({ records }) => {
            const record = { platform, platform_id: records[platform]?.id ?? '' };
            const isTaken = own !== undefined && records[own] !== undefined;
            return (
              <label className="text">
                <input
                  type="radio"
                  name={group}
                  disabled={isTaken}
                  checked={chosen !== undefined && isSameRecord(chosen, record)}
                  onChange={() => onChoose(record)}
                />{' '}
                {record.platform_id}
                {isTaken && <span className="quiet"> has a record on {own} already</span>}
              </label>
            );
          },
        },
        { name: 'Names', cell: ({ data }) => <FieldValue of={namesOf(data)} /> },
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

function namesOf(data: FoundObject['data']): string {
  const names = [
    'check_number' in data ? data.check_number : undefined,
    'number' in data ? data.number : undefined,
    'title' in data ? data.title : undefined,
    'name' in data ? data.name : undefined,
  ];
  return names.filter((name) => typeof name === 'string').join(' ');
}

function dateOf(data: FoundObject['data']): unknown {
  if ('date' in data) return data.date;
  if ('invoice_date' in data) return data.invoice_date;
  return 'contract_date' in data ? data.contract_date : null;
}
