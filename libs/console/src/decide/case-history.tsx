import type { ReactNode } from 'react';
import type { CaseDetail } from '../data/cases';
import { Instant } from '../parts/values/instant';

type Event = CaseDetail['history'][number];

const reopened: Readonly<Record<NonNullable<Event['why']>, string>> = {
  value_changed: 'because a value changed',
  until_passed: 'because the time of its acceptance is over',
  returned: 'because it is there again',
};

/** What happened to a case, the latest first, with its notes. */
export function CaseHistory({ events }: { readonly events: readonly Event[] }): ReactNode {
  return (
    <details>
      <summary>History and notes ({events.length})</summary>
      <ul>
        {events.map((event) => (
          <li key={`${event.at} ${event.type}`} className="text">
            <Instant at={event.at} />: {wordsOf(event)}
          </li>
        ))}
      </ul>
    </details>
  );
}

function wordsOf(event: Event): ReactNode {
  switch (event.type) {
    case 'opened':
      return 'first seen';
    case 'owner':
      if (!event.owner) return 'assigned to nobody';
      return (
        <>
          assigned to <bdi>{event.owner}</bdi>
        </>
      );
    case 'accepted':
      return (
        <>
          accepted by <bdi>{event.decided_by ?? 'a person without a name'}</bdi>: <bdi>{event.reason}</bdi>
        </>
      );
    case 'taken_back':
      return 'acceptance taken back';
    case 'reopened':
      return `open again, ${event.why === undefined ? 'for a reason that is not known' : reopened[event.why]}`;
    case 'note':
      return (
        <>
          <bdi>{event.written_by ?? 'a person without a name'}</bdi> wrote: <bdi>{event.text}</bdi>
        </>
      );
    case 'closed':
      return 'closed';
  }
}
