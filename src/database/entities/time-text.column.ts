import { VirtualColumn } from 'typeorm';
import { timeText } from '../transaction/time-text';

/**
 * A property with the text of a time column of the row: UTC, with microseconds. The column itself is a property of its own for
 * conditions and orders, and for writes: its `Date` would cut the microseconds.
 *
 * @param column its name in the database
 */
export function TimeText(column: string): PropertyDecorator {
  return VirtualColumn('text', { query: (row) => timeText(`${row}.${column}`) });
}
