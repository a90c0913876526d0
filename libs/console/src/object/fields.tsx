import type { ObjectDetail } from '@app/client';
import { useId, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { platforms, useMay } from '../data/queries';
import { hrefOf, navigate, useQueryMembers } from '../location';
import { ErrorNote } from '../parts/error-note';
import { Skeleton } from '../parts/skeleton';
import { Table, type Column } from '../parts/tables/table';
import { convertedInto, rateWords } from './conversions';
import { fieldRows, referenceFields, type Compared, type FieldRow } from './field-rows';
import { fieldWords } from '../parts/words/object-words';
import { Settle, type AskedSettling } from './settling/settle';
import { useRecordFields } from './use-object';
import { useRates } from './use-rates';
import { Value } from './value';

interface FieldsProps {
  readonly object: ObjectDetail;
  readonly asOf: string | undefined;
  readonly onAsk: (asked: AskedSettling) => void;
}

/** What the object and each of its records say, field by field, with a way to settle a difference. */
export function Fields({ object, asOf, onAsk }: FieldsProps): ReactNode {
  const records = useRecordFields(object);
  const mayWrite = useMay('write') && asOf === undefined && object.state.deleted_at === null;
  const read = new Map(
    records.flatMap(({ platform, query }) =>
      query.data === undefined ? [] : [[platform, query.data] as const],
    ),
  );
  const rows = fieldRows({ ...object.data }, read, object.disagreements);
  // What was agreed may have changed since an earlier time, so rates are shown as of now alone.
  const rates = useRates(object.entity_type, asOf === undefined ? convertedInto(rows) : undefined);
  const differing = rows.filter(({ disagreement }) => disagreement !== undefined);
  const showsAll = useQueryMembers().get('show') === 'all' || differing.length === 0;
  const isReading = records.some(({ query }) => query.isPending);
  const columns: Column<FieldRow>[] = [
    { name: 'Field', cell: ({ field }) => fieldWords(field), isHead: true },
    ...platforms.map((platform): Column<FieldRow> => ({
      name: platform,
      cell: (row) => (
        <>
          <Value of={row.values[platform]} />
          <div className="quiet">{rateWords(row, platform, rates)}</div>
        </>
      ),
    })),
    { name: 'Canonical', cell: ({ canonical }) => <Value of={canonical} /> },
    { name: 'Compared', cell: ({ compared }) => <Mark compared={compared} /> },
    {
      name: 'Settle',
      cell: ({ disagreement }) =>
        disagreement === undefined ? null : (
          <>
            <p className="quiet">
              {disagreement.stands} counts: {disagreement.why}
            </p>
            {mayWrite && <Settle object={object} disagreement={disagreement} onAsk={onAsk} />}
          </>
        ),
    },
  ];
  return (
    <>
      {records.map(
        ({ platform, query }) =>
          query.error !== null && (
            <div key={platform} className="note warning">
              <p>
                <span aria-hidden="true">▲ </span>The record of {platform} cannot be read in canonical form.
                Its fields are left out below; the raw record shows them.
              </p>
              <ErrorNote error={query.error} retry={() => void query.refetch()} />
            </div>
          ),
      )}
      <References data={object.data} />
      <section className="card" aria-label="Fields">
        {differing.length > 0 && <DifferencesOnly isOn={!showsAll} />}
        {isReading && differing.length === 0 ? (
          <Skeleton what="the records" rows={6} />
        ) : (
          <Table
            caption={captionOf(differing.length, showsAll, object.mappings.length)}
            label="Fields of the object"
            columns={differing.length > 0 ? columns : columns.slice(0, -1)}
            rows={showsAll ? rows : differing}
            keyOf={({ field }) => field}
            empty="No record has a field that can be read. The raw records show what there is."
          />
        )}
        <KeptAside data={object.data} />
      </section>
    </>
  );
}

function captionOf(differences: number, showsAll: boolean, sides: number): string {
  if (differences > 0) {
    const words = differences === 1 ? '1 field differs' : `${differences} fields differ`;
    return showsAll ? `All fields; ${words}` : `${words}; the others are left out`;
  }
  return sides > 1 ? 'All fields. The platforms agree in every field that both have' : 'All fields';
}

const marks = {
  same: ['=', 'the same'],
  other: ['≠', 'differs'],
  unseen: ['≠', 'differs in blanks or characters that nobody sees'],
  apart: ['≈', 'no difference found'],
  alone: ['·', 'one side only'],
} as const satisfies Record<Compared, readonly [mark: string, words: string]>;

function Mark({ compared }: { readonly compared: Compared }): ReactNode {
  const [mark, words] = marks[compared];
  return (
    <span className={`mark ${compared === 'unseen' ? 'other' : compared}`}>
      <span aria-hidden="true">{mark}</span> {words}
    </span>
  );
}

/** Whether fields that agree are left out; it stands in the address. */
function DifferencesOnly({ isOn }: { readonly isOn: boolean }): ReactNode {
  const id = useId();
  const [path] = useLocation();
  const members = Object.fromEntries(useQueryMembers());
  return (
    <p>
      <label htmlFor={id} className="check">
        <input
          id={id}
          type="checkbox"
          checked={isOn}
          onChange={() => {
            navigate(hrefOf(path, { ...members, show: isOn ? 'all' : undefined }), { replace: true });
          }}
        />
        Differences only
      </label>
    </p>
  );
}

/** The objects that it names. */
function References({ data }: { readonly data: ObjectDetail['data'] }): ReactNode {
  const named = { ...data } as Readonly<Record<string, unknown>>;
  const links = referenceFields.flatMap((field) => {
    const id = named[field];
    return typeof id === 'string' ? [{ field, id }] : [];
  });
  if (links.length === 0) return null;
  return (
    <ul className="facts" aria-label="Objects that it belongs to">
      {links.map(({ field, id }) => (
        <li key={field}>
          <Link href={`/objects/${encodeURIComponent(id)}`}>Its {fieldWords(field.replace(/_id$/, ''))}</Link>
        </li>
      ))}
    </ul>
  );
}

/** What the platforms' records have beyond the fields above. */
function KeptAside({ data }: { readonly data: ObjectDetail['data'] }): ReactNode {
  const kept = platforms.flatMap((platform) => {
    const fields = fieldsOf(data.provider_metadata?.[platform]);
    return fields.length === 0 ? [] : [{ platform, fields }];
  });
  return kept.map(({ platform, fields }) => (
    <details key={platform}>
      <summary>
        Kept aside from {platform}: {fields.length} {fields.length === 1 ? 'field' : 'fields'}
      </summary>
      <ul>
        {fields.map((field) => (
          <li key={field}>
            <code className="name">{field}</code>
          </li>
        ))}
      </ul>
    </details>
  ));
}

function fieldsOf(metadata: unknown): string[] {
  if (typeof metadata !== 'object' || metadata === null || !('fields' in metadata)) return [];
  const { fields } = metadata;
  return typeof fields === 'object' && fields !== null ? Object.keys(fields) : [];
}
