import type { ReactNode } from 'react';
import type { CaseDetail } from '../data/cases';
import { DiffTable, type FieldRow } from '../parts/tables/diff-table';
import { FieldValue } from '../parts/values/field-value';
import type { Platform } from '../data/queries';
import { fieldWords } from '../parts/words/object-words';

type Field = CaseDetail['compared'][number];
type Value = Field['values'][Platform];

interface ComparedProps {
  readonly fields: readonly Field[];
  /** From the left. */
  readonly sides: readonly ComparedSide[];
}

/** A side of a comparison, and what it is called. */
interface ComparedSide {
  readonly platform: Platform;
  readonly name: string;
}

/** Records side by side: the fields that both have, and the others behind a word. */
export function Compared({ fields, sides: shown }: ComparedProps): ReactNode {
  const sides = shown.map(({ name }) => name);
  const rows = fields.map(({ field, same, values }): FieldRow => ({
    field: fieldWords(field),
    same,
    values: Object.fromEntries(
      shown.map(({ platform, name }) => [name, <Written key={platform} value={values[platform]} />]),
    ),
  }));
  const both = rows.filter(({ same }) => same !== null);
  const alone = rows.filter(({ same }) => same === null);
  if (both.length === 0) return <DiffTable caption="Fields of the record" sides={sides} rows={alone} />;
  return (
    <>
      <DiffTable caption="Fields that were compared" sides={sides} rows={both} />
      {alone.length > 0 && (
        <details>
          <summary>All fields: {alone.length} more, which one side has alone</summary>
          <DiffTable caption="Fields that one side has alone" sides={sides} rows={alone} />
        </details>
      )}
    </>
  );
}

/** A value in canonical form, and below it as the platform writes it where that is another text; amounts are compared as numbers. */
export function Written({ value }: { readonly value: Value }): ReactNode {
  if (value === undefined) return '–';
  const { canonical, native } = value;
  const isOther = typeof canonical === 'string' && typeof native === 'string' && native !== canonical;
  return (
    <>
      <FieldValue of={canonical} />
      {isOther && <div className="quiet text">{native}</div>}
    </>
  );
}
