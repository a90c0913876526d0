import type { FieldConflict } from '@app/client';
import type { ReactNode } from 'react';
import { Table } from '../../parts/tables/table';
import { fieldWords } from '../../parts/words/object-words';
import { Value } from '../value';

interface ConflictsProps {
  readonly conflicts: readonly FieldConflict[];
  /** Reads the object again; without it closing the dialog does. */
  readonly onReadAgain?: () => void;
}

/** What changed since the object was read: the value of then, that of now, and the one that was to be sent. */
export function Conflicts({ conflicts, onReadAgain }: ConflictsProps): ReactNode {
  return (
    <>
      <Table
        caption="Another person was quicker: you changed nothing"
        label="What changed meanwhile"
        columns={[
          { name: 'Field', cell: ({ field }) => fieldWords(field), isHead: true },
          { name: 'Base', cell: ({ base }) => <Value of={base} /> },
          { name: 'Theirs', cell: ({ theirs }) => <Value of={theirs} /> },
          { name: 'Mine', cell: ({ mine }) => <Value of={mine} /> },
        ]}
        rows={conflicts}
        keyOf={({ field }) => field}
      />
      {onReadAgain === undefined ? (
        <p className="quiet">Cancel reads the object again. Then settle what still differs.</p>
      ) : (
        <button type="button" onClick={onReadAgain}>
          Read the object again
        </button>
      )}
    </>
  );
}
