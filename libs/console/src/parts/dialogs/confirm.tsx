import { ApiError } from '@app/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type ReactNode, type SyntheticEvent } from 'react';
import { tell } from '../../data/notices';
import { announce } from '../announcer';
import { ErrorNote } from '../error-note';
import { followFocus } from './follow-focus';
import { randomKey } from './random-key';

/** What a confirmed write is sent with. */
export interface Sending {
  /** One for each dialog, until the service refuses what had no effect: however often it is sent, it has one effect. */
  readonly idempotencyKey: string;
  /** The version that the person looked at. */
  readonly ifMatch: string | undefined;
}

interface ConfirmProps<Result> {
  readonly title: string;
  /** What will be sent, and what it will do. */
  readonly children: ReactNode;
  /** The button's words: what happens, not "OK". */
  readonly act: string;
  readonly ifMatch?: string;
  /** Whether a dry run, or another look, has shown what it will do; nothing is sent before. Unset where there is none. */
  readonly isShown?: boolean;
  /** A text that has to be typed first, such as the number of a document that a live key changes. */
  readonly typed?: { readonly what: string; readonly text: string };
  readonly send: (sending: Sending) => Promise<Result>;
  /** Whether nothing is left to confirm after an error: it closes the dialog. */
  readonly isFinal?: (error: unknown) => boolean;
  /** The sentence that says what happened. */
  readonly done: (result: Result) => string;
  readonly onDone: (result: Result) => void;
  readonly onClose: () => void;
}

/**
 * A dialog that asks before a write. While the write is being sent, the button is inactive, and a second press would
 * send the same idempotency key, so a double click has one effect. Nothing changes on the page before the response
 * arrives. The dialog stays open until then: a write in progress cannot be cancelled, and a new dialog would send it
 * with another key.
 */
export function Confirm<Result>(props: ConfirmProps<Result>): ReactNode {
  const {
    title,
    children,
    act,
    ifMatch,
    isShown = true,
    typed,
    send,
    isFinal,
    done,
    onDone,
    onClose,
  } = props;
  const queries = useQueryClient();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [idempotencyKey, setIdempotencyKey] = useState(randomKey);
  const [text, setText] = useState('');
  useEffect(() => dialog.current?.showModal(), []);
  // The page learns of the first press of a double click after the second one.
  const isSent = useRef(false);
  const isDone = useRef(false);
  // Whether it is unknown if an earlier press had its effect.
  const [isUnknown, setUnknown] = useState(false);
  /** A dialog that is closed gives the focus back; one that is only removed would lose it. */
  const end = (): void => {
    if (dialog.current?.open !== true) return;
    dialog.current.close();
    followFocus();
  };
  const write = useMutation({
    mutationFn: () => send({ idempotencyKey, ifMatch }),
    onError: (error) => {
      isSent.current = false;
      // A refusal had no effect and is stored under its key, so a corrected write needs another key. Without a response
      // the outcome is unknown. A conflict may then be a conflict with the same write, unless it is one with values
      // that have changed.
      const isRefused = isRefusal(error);
      if (isRefused) {
        const isStale = error.cases.length > 0;
        if (isStale) setUnknown(false);
        if (isStale || !isUnknown || error.status !== 409) setIdempotencyKey(randomKey());
      } else if (!isTooMany(error)) setUnknown(true);
      if (isFinal?.(error) === true) end();
      // The person has left the page with the browser's Back, so the dialog is gone and cannot show the error.
      if (dialog.current === null) {
        const isSure = isRefused ? !isUnknown || error.status !== 409 : isTooMany(error);
        tell(queries, { title, error, isUnknown: !isSure });
        void queries.invalidateQueries();
        onClose();
      }
    },
    onSuccess: (result) => {
      isDone.current = true;
      end();
      announce(done(result));
      onDone(result);
    },
  });
  const stayWhileSent = (event: SyntheticEvent): void => {
    if (isSent.current && !isDone.current) event.preventDefault();
  };
  const isReady = isShown && (typed === undefined || text.trim() === typed.text);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onClose={() => {
        if (isDone.current) return;
        if (isUnknown) void queries.invalidateQueries();
        followFocus();
        onClose();
      }}
      onCancel={stayWhileSent}
      // Browsers ask once whether Escape may close a dialog, and close it the second time.
      closedby={write.isPending ? 'none' : undefined}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isReady || isSent.current) return;
          isSent.current = true;
          write.mutate();
        }}
      >
        <h2 id={heading}>{title}</h2>
        {children}
        {typed !== undefined && (
          <label>
            Type {typed.what} <code>{typed.text}</code> to go on
            <input value={text} autoComplete="off" onChange={({ target }) => setText(target.value)} />
          </label>
        )}
        {write.error !== null && <ErrorNote error={write.error} />}
        {isUnknown && !write.isPending && (
          <p className="note warning">
            <span aria-hidden="true">▲ </span>Nobody knows whether it was done. To send it again, leave it as
            it is; Cancel shows what is there now.
          </p>
        )}
        <div className="actions">
          <button type="button" disabled={write.isPending} onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          {/* Not `disabled`: browsers take the focus from that, and an error leaves the person in the dialog. */}
          <button type="submit" className="primary" aria-disabled={!isReady || write.isPending}>
            {write.isPending ? 'Sending …' : act}
          </button>
        </div>
      </form>
    </dialog>
  );
}

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500 && error.retryAfter === undefined;
}

/** Whether the service did not take a request at all, because there were too many. */
function isTooMany(error: unknown): boolean {
  return error instanceof ApiError && error.status === 429;
}
