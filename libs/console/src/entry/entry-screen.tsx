import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { CopyButton } from '../parts/copy-button';
import { Page } from '../parts/page';
import { problemOfKey } from '../session/key-mode';
import { openSession, type Held } from '../session/session';
import { Demo } from './demo';
import { textsOf } from '../parts/form-texts';

/** Where a person gives a key, or opens a demo session. The address stays, so that the key leads to what it names. */
export function EntryScreen({ why, written }: Pick<Held, 'why' | 'written'>): ReactNode {
  return (
    <main id="main" className="entry">
      <Page title="Do the two books agree?">
        {why !== undefined && (
          <p className="note" role="alert">
            {why}
          </p>
        )}
        {written.length > 0 && <WrittenTexts written={written} />}
        <p>
          This console compares what two construction platforms say about projects, contracts, invoices and
          payments.
        </p>
        <KeyForm />
        <Demo />
      </Page>
    </main>
  );
}

/** The screen went with the key, and what was written there did not. */
function WrittenTexts({ written }: Pick<Held, 'written'>): ReactNode {
  return (
    <section className="note" aria-label="What you had written">
      <p>You had written this. Copy what you still need: it goes when a key is given.</p>
      {written.map(({ label, text }, place) => (
        <div key={place}>
          <p className="reason">
            {label}: <bdi>{text}</bdi>
          </p>
          <CopyButton text={text} what={label} />
        </div>
      ))}
    </section>
  );
}

function KeyForm(): ReactNode {
  const field = useId();
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const text = textsOf(event.currentTarget)['key'] ?? '';
    const found = problemOfKey(text);
    setProblem(found);
    if (found === undefined) openSession(text);
  };
  return (
    <form className="card" onSubmit={submit}>
      <h2>With your key</h2>
      <label htmlFor={field}>API key</label>
      <input
        id={field}
        name="key"
        type="password"
        autoComplete="current-password"
        spellCheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={`${field}-problem ${field}-kept`}
      />
      <p id={`${field}-problem`} className="problem" role="alert">
        {problem}
      </p>
      <p id={`${field}-kept`} className="quiet">
        The key stays in the memory of this page. It is gone on reload, and after 30 minutes without use.
      </p>
      <div className="actions">
        <button type="submit" className="primary">
          Open the console
        </button>
      </div>
    </form>
  );
}
