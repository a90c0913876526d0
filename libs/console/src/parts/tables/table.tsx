import type { ReactNode } from 'react';

/** A column of a table. */
export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** Whether the cells are amounts or counts, which are aligned right so that their digits line up. */
  readonly isNumber?: boolean;
  /** The column that names the row. */
  readonly isHead?: boolean;
  /** Whether only screen readers get the heading: each cell has the same control, which other users see. */
  readonly isNameHidden?: boolean;
  /** Whether the person has chosen this column among similar ones. */
  readonly isChosen?: boolean;
}

interface TableProps<Row> {
  readonly caption: ReactNode;
  /** Names the region that scrolls, where the caption is no text. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** What an empty table says: why, and what to do next. */
  readonly empty?: ReactNode;
}

/** A table that scrolls sideways by itself, with a caption, and with headings for its columns and rows. */
export function Table<Row>({ caption, label, columns, rows, keyOf, empty }: TableProps<Row>): ReactNode {
  return (
    <ScrollRegion label={label}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" className={classOf(column)}>
                {column.isNameHidden ? <span className="hidden">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) =>
                column.isHead ? (
                  <th key={column.name} scope="row">
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.name} className={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
          {rows.length === 0 && empty !== undefined && (
            <tr>
              <td colSpan={columns.length}>{empty}</td>
            </tr>
          )}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function classOf<Row>({ isNumber, isChosen }: Column<Row>): string | undefined {
  return isNumber ? 'number' : isChosen ? 'chosen-column' : undefined;
}

/** A part of the page that may be wider than the window: it can be reached and scrolled by keyboard. */
export function ScrollRegion({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="scroll" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
