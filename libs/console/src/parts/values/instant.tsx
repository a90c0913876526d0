import type { ReactNode } from 'react';
import { useTimeZone } from '../../data/queries';
import { instantText, shownZone } from './time-text';

/** A moment in the customer's time zone. */
export function Instant({ at }: { readonly at: string }): ReactNode {
  const zone = useTimeZone();
  return (
    <time dateTime={at} title={`${at} (shown in ${shownZone(zone)})`}>
      {instantText(at, zone)}
    </time>
  );
}
