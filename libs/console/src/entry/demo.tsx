import { ApiError } from '@app/client';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { announce } from '../parts/announcer';
import { ErrorNote } from '../parts/error-note';
import { openSession } from '../session/session';
import { demoSteps, startDemo } from './demo-steps';

/** Opens a demo session, and shows how far it is. */
export function Demo(): ReactNode {
  const [step, setStep] = useState<number>();
  const [error, setError] = useState<unknown>();
  const isThere = useRef(false);
  useEffect(() => {
    isThere.current = true;
    return () => void (isThere.current = false);
  }, []);
  const seconds = useCountdown(error instanceof ApiError ? error.retryAfter : undefined, error);
  const start = async (): Promise<void> => {
    setError(undefined);
    try {
      const key = await startDemo((next) => {
        setStep(next);
        announce(`${demoSteps[next] ?? ''} …`);
      });
      // The person may have given a key of their own meanwhile, and works with that.
      if (isThere.current) openSession(key);
    } catch (failure) {
      setStep(undefined);
      setError(failure);
    }
  };
  const busy = step !== undefined;
  return (
    <section className="card" aria-labelledby="demo">
      <h2 id="demo">Without a key</h2>
      <p>
        A demo session has the books of a contractor in the Gulf on both platforms. It is deleted after some
        days.
      </p>
      {error !== undefined && <ErrorNote error={error} />}
      <div className="actions">
        <button type="button" disabled={busy || seconds > 0} onClick={() => void start()}>
          {seconds > 0 ? `Try again in ${seconds} s` : 'Try it with a demo session'}
        </button>
      </div>
      {busy && (
        <ol className="steps">
          {demoSteps.map((words, index) => (
            <li key={words} className={stateOf(index, step)}>
              {words}: {stateWords[stateOf(index, step)]}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

const stateWords = { done: 'done', current: 'under way …', ahead: 'next' } as const;

function stateOf(index: number, step: number): keyof typeof stateWords {
  return index < step ? 'done' : index === step ? 'current' : 'ahead';
}

/**
 * Seconds until something may be tried again.
 *
 * @param since starts the count anew when it changes
 */
function useCountdown(milliseconds: number | undefined, since: unknown): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    setLeft(Math.ceil((milliseconds ?? 0) / 1000));
    if (milliseconds === undefined) return;
    const timer = setInterval(() => setLeft((seconds) => Math.max(0, seconds - 1)), 1000);
    return () => clearInterval(timer);
  }, [milliseconds, since]);
  return left;
}
