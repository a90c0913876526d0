import type { ReactNode } from 'react';
import { baseUrl } from '../data/api';
import { CopyButton } from '../parts/copy-button';
import { curlOf } from '../requests/curl';
import { apiCallsOf } from './api-calls';

interface ApiCallsViewProps {
  readonly id: string;
  readonly asOf: string | undefined;
}

/** The calls that show the same to a program: as curl, whose key is the variable KEY, and with the client. */
export function ApiCallsView({ id, asOf }: ApiCallsViewProps): ReactNode {
  return (
    <>
      <p>
        The console uses the public API alone. These calls show the same; the key is in the variable KEY, and{' '}
        <code>client</code> is a <code>TranslationClient</code>.
      </p>
      {apiCallsOf(id, asOf).map(({ what, path, code }) => {
        const curl = curlOf({ method: 'GET', url: baseUrl + path, headers: {}, body: undefined });
        return (
          <section key={what} className="card" aria-label={what}>
            <h2>{what}</h2>
            <Sample name="curl" of={curl} what={what} />
            <Sample name="TypeScript" of={code} what={what} />
          </section>
        );
      })}
    </>
  );
}

interface SampleProps {
  readonly name: string;
  readonly of: string;
  readonly what: string;
}

function Sample({ name, of, what }: SampleProps): ReactNode {
  const label = `${name}: ${what}`;
  return (
    <div>
      <div className="page-head">
        <h3>{name}</h3>
        <CopyButton text={of} what={label} />
      </div>
      <pre className="json" role="region" aria-label={label} tabIndex={0}>
        {of}
      </pre>
    </div>
  );
}
