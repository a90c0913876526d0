import type { ReactNode } from 'react';
import { CopyButton } from './copy-button';
import { wordsOf } from './words/error-words';
import { Instant } from './values/instant';

interface ErrorNoteProps {
  readonly error: unknown;
  /** Tries again; without it there is nothing to try. */
  readonly retry?: () => void;
  /** When what still shows was read, in milliseconds since 1970; 0 or unset when nothing shows. */
  readonly shownSince?: number;
}

/** What went wrong, in a sentence, with the ID to quote, and what to do next. */
export function ErrorNote({ error, retry, shownSince = 0 }: ErrorNoteProps): ReactNode {
  const { sentence, type, requestId } = wordsOf(error);
  return (
    <div className="note error" role="alert">
      <p>
        <strong>{sentence}</strong>
      </p>
      {shownSince > 0 && (
        <p>
          What you see below was read <Instant at={new Date(shownSince).toISOString()} />.
        </p>
      )}
      <p className="facts">
        <span>{type}</span>
        {requestId !== undefined && (
          <span>
            Request <code>{requestId}</code> <CopyButton text={requestId} what="request ID" />
          </span>
        )}
        {retry !== undefined && (
          <button type="button" onClick={retry}>
            Retry
          </button>
        )}
      </p>
    </div>
  );
}
