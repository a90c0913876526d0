/**
 * Whether a client prefers CSV to JSON, by its `Accept` header (RFC 9110 §12.5.1). A client that does not name CSV gets
 * JSON.
 */
export function wantsCsv(accept: string | undefined): boolean {
  const csv = qualityOf(accept, 'text/csv');
  return csv > 0 && csv >= qualityOf(accept, 'application/json');
}

/** The quality of an explicitly named media type; 0 if it is not named. */
function qualityOf(accept: string | undefined, type: string): number {
  for (const range of accept?.split(',') ?? []) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (name !== type) continue;
    const quality = parameters.find((one) => one.startsWith('q='))?.slice(2);
    const value = quality === undefined ? 1 : Number(quality);
    return Number.isFinite(value) ? value : 0;
  }
  return 0;
}
