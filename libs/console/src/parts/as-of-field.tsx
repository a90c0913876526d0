import { useId, type ReactNode } from 'react';
import { useTimeZone } from '../data/queries';
import { dayBefore, dayIn } from './values/time-text';

/**
 * The day by whose end a form asks, under the name `as_of`: one that is over in the customer's time zone. Of a moment it is the
 * day there, also where that is today.
 */
export function AsOfField({ asOf }: { readonly asOf: string | undefined }): ReactNode {
  const id = useId();
  const zone = useTimeZone();
  const day = asOf === undefined ? undefined : dayIn(asOf, zone);
  const yesterday = dayBefore(dayIn(new Date().toISOString(), zone));
  return (
    <label htmlFor={id}>
      As of the end of a past day
      {/* The time zone may be known after the form shows, and with it the day: the field begins anew with the day. */}
      <input
        key={day}
        id={id}
        type="date"
        name="as_of"
        max={day !== undefined && day > yesterday ? day : yesterday}
        defaultValue={day}
      />
    </label>
  );
}
