import { VirtualColumn } from 'typeorm';
import { timeText } from '../transaction/time-text';

/**
 * Decorates a property that reads a time column as text: UTC with microseconds, which a `Date` would cut off. The column
 * itself is another property, which conditions, orders and writes use.
 *
 * @param column its name in the database
 */
export function TimeText(column: string): PropertyDecorator {
  return VirtualColumn('text', { query: (row) => timeText(`${row}.${column}`) });
}
