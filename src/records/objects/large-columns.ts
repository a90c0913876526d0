/** Columns of `CopyRow` whose texts may be large. */
const large = ['payload', 'accepted', 'extra'] as const;

/** SQL for the bytes of the large columns of a row. */
export function largeBytes(alias: string): string {
  return large.map((name) => `coalesce(octet_length(${alias}.${name}), 0)`).join(' + ');
}

/**
 * SQL for the columns of a row, with null in the large ones if the row exceeds the byte limit.
 *
 * @param fits SQL condition: the row fits
 */
export function columnsWithin(names: readonly string[], fits: string): string {
  return names
    .map((name) =>
      large.some((one) => one === name) ? `case when ${fits} then ${name} end as ${name}` : name,
    )
    .join(', ');
}
