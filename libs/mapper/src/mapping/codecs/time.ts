import { isIsoDate, startsWithDate, twoDigits } from '../../canonical/calendar';
import { unfit, type Codec } from '../codec';
import { dateSchema, timestampSchema } from '../../canonical/schemas';

/** A calendar day `YYYY-MM-DD`; `blank` is the platform's form of none (null, or a day long past). */
export function dateCodec(blank: string | null): Codec<string> {
  return {
    schema: dateSchema,
    decode: (wire) => {
      if (wire === null || wire === '' || wire === blank) return null;
      if (typeof wire !== 'string' || !isIsoDate(wire)) throw unfit(dateSchema, wire);
      return wire;
    },
    encode: (value) => value ?? blank,
  };
}

const instant = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/;

/** An instant of RFC 3339, read into UTC with its fraction kept; `blank` is the platform's form of none. */
export function timestampCodec(blank: string | null): Codec<string> {
  return {
    schema: timestampSchema,
    decode: (wire) => {
      if (wire === null || wire === '' || wire === blank) return null;
      const utc = typeof wire === 'string' ? toUtc(wire) : undefined;
      if (utc === undefined) throw unfit(timestampSchema, wire);
      return utc;
    },
    encode: (value) => value ?? blank,
  };
}

// `2026-01-15T10:02:11Z`, which is how both platforms write their times.
const USUAL_LENGTH = 20;

function isUsualUtc(text: string): boolean {
  return (
    text.length === USUAL_LENGTH &&
    text[10] === 'T' &&
    text[13] === ':' &&
    text[16] === ':' &&
    text[19] === 'Z' &&
    twoDigits(text, 11) <= 23 &&
    twoDigits(text, 14) <= 59 &&
    twoDigits(text, 17) <= 59 &&
    startsWithDate(text)
  );
}

function toUtc(text: string): string | undefined {
  if (isUsualUtc(text)) return text;
  const [match, year, month, day, hour, minute, second = '00', fraction = '', zone = 'Z'] =
    instant.exec(text) ?? [];
  if (match === undefined || !isIsoDate(`${year}-${month}-${day}`)) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (zone === 'Z') return `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}Z`;
  const time = new Date(
    `${year}-${month}-${day}T${hour}:${minute}:${second}${zone.replace(/:?(\d\d)$/, ':$1')}`,
  );
  // Beyond the years 0 to 9999 the shift to UTC leaves the form.
  if (Number.isNaN(time.getTime()) || !/^\d{4}-/.test(time.toISOString())) return undefined;
  return time.toISOString().replace(/\.\d+Z$/, `${fraction}Z`);
}
