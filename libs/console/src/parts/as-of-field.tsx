import { useId, type ReactNode } from 'react';
import { useTimeZone } from '../data/queries';
import { dayIn } from './values/time-text';

/** The day by whose end a form asks, under the name `as_of`. Of a moment it is the day in the customer's time zone. */
export function AsOfField({ asOf }: { readonly asOf: string | undefined }): ReactNode {
  const id = useId();
  const zone = useTimeZone();
  const day = asOf === undefined ? undefined : dayIn(asOf, zone);
  return (
    <label htmlFor={id}>
      As of the end of
      {/* The time zone may be known after the form shows, and with it the day: the field begins anew with the day. */}
      <input key={day} id={id} type="date" name="as_of" defaultValue={day} />
    </label>
  );
}
