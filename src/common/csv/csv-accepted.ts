/**
 * Whether a client would rather have CSV than JSON, by its `Accept` header (RFC 9110 §12.5.1). JSON is what everybody gets
 * who does not ask for CSV by name.
 */
export function wantsCsv(accept: string | undefined): boolean {
  const csv = qualityOf(accept, 'text/csv');
  return csv > 0 && csv >= qualityOf(accept, 'application/json');
}

/** The quality of a media type that is named as such; 0 for one that is not. */
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
