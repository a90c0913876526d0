import type { JsonObject } from '../../json/json-value';
import type { DecodeContext, PayloadReading } from './decode';

/**
 * The readings of payloads, kept as long as the payload is in use. Several steps that work on one record then share one
 * reading. A payload that is read in other currencies is read again.
 */
export class ReadingCache {
  // Held by the payload alone, so nothing has to be forgotten.
  private readonly kept = new WeakMap<JsonObject, DecodeContext & { readonly reading: PayloadReading }>();

  /** @param payload must not be changed afterwards */
  reading(
    payload: JsonObject,
    { inheritedCurrency, localCurrency }: DecodeContext,
    read: (context: DecodeContext) => PayloadReading,
  ): PayloadReading {
    const known = this.kept.get(payload);
    if (known?.inheritedCurrency === inheritedCurrency && known.localCurrency === localCurrency) {
      return known.reading;
    }
    const reading = read({ inheritedCurrency, localCurrency });
    this.kept.set(payload, { inheritedCurrency, localCurrency, reading });
    return reading;
  }
}
