import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { Page } from '../parts/page';
import { problemOfKey } from '../session/key-mode';
import { openSession } from '../session/session';
import { Demo } from './demo';
import { textsOf } from '../parts/form-texts';

/** Where a person gives a key, or opens a demo session. The address stays, so that the key leads to what it names. */
export function EntryScreen({ why }: { readonly why: string | undefined }): ReactNode {
  return (
    <main id="main" className="entry">
      <Page title="Do the two books agree?">
        {why !== undefined && (
          <p className="note" role="alert">
            {why}
          </p>
        )}
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
