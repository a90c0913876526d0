import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link, useParams } from 'wouter';
import { useApi } from '../data/api';
import { useMay } from '../data/queries';
import { presentStatementHref, signedStatementHref, signoffKeys, type Signoff } from '../data/signoffs';
import { CopyButton } from '../parts/copy-button';
import { FigureChanges, FigureValue } from '../parts/tables/figure-changes';
import { figureWords } from '../parts/words/figure-words';
import { typeWords } from '../parts/words/type-words';
import { Instant } from '../parts/values/instant';
import { Loaded } from '../parts/loaded';
import { Page } from '../parts/page';
import { roleWords, standingOf } from '../parts/words/signoff-words';
import { Table } from '../parts/tables/table';
import { StatusMark } from '../parts/values/status-mark';
import { scopeText } from './signed-scope';
import { Withdraw } from './withdraw';

/** One sign-off: what was signed, by whom, which figures have changed since, and a way to withdraw it. */
export default function SignoffScreen(): ReactNode {
  const { id } = useParams<{ id: string }>();
  const api = useApi();
  const signoff = useQuery({
    queryKey: signoffKeys.one(id),
    queryFn: ({ signal }) => api.signoff(id, { signal }),
  });
  return (
    <Page title="Sign-off" actions={signoff.data && <Actions signoff={signoff.data} />}>
      <p>
        <Link href="/signoffs">All sign-offs</Link>
      </p>
      <Loaded query={signoff} what="the sign-off" rows={8}>
        {(data) => (
          <>
            <Facts signoff={data} />
            <Changes signoff={data} />
            <Signed signoff={data} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface Props {
  readonly signoff: Signoff;
}

function Actions({ signoff }: Props): ReactNode {
  const [asks, setAsks] = useState(false);
  const may = useMay('decide');
  return (
    <>
      {may && signoff.state !== 'withdrawn' && (
        <button type="button" onClick={() => setAsks(true)}>
          Withdraw …
        </button>
      )}
      {asks && <Withdraw signoff={signoff} onClose={() => setAsks(false)} />}
    </>
  );
}

function Facts({ signoff }: Props): ReactNode {
  const { role, signed_by: by, signed_at: at, as_of: asOf, digest, note, withdrawn, compared } = signoff;
  return (
    <section className="card" aria-label="What was signed">
      <dl className="facts">
        <div>
          <dt>{roleWords[role]} by</dt>
          <dd className="name">{by}</dd>
        </div>
        <div>
          <dt>Signed</dt>
          <dd>
            <Instant at={at} />
          </dd>
        </div>
        <div>
          <dt>Figures as of</dt>
          <dd>
            <Instant at={asOf} />
          </dd>
        </div>
        <div>
          <dt>Statement</dt>
          <dd className="name">{scopeText(signoff)}</dd>
        </div>
        <div>
          <dt>Digest</dt>
          <dd>
            <code className="digest">{digest}</code> <CopyButton text={digest} what="digest" />
          </dd>
        </div>
        <div>
          <dt>Now</dt>
          <dd>
            <StatusMark status={standingOf(signoff)} />
          </dd>
        </div>
        {compared !== null && (
          <div>
            <dt>Compared with the books of</dt>
            <dd>
              <Instant at={compared.as_of} />
              {!compared.complete && ', which are incomplete'}
            </dd>
          </div>
        )}
      </dl>
      {note !== null && (
        <p className="name">
          Note: <bdi>{note}</bdi>
        </p>
      )}
      {withdrawn !== null && (
        <p className="note warning name">
          <span aria-hidden="true">▲ </span>Withdrawn by <bdi>{withdrawn.by}</bdi>,{' '}
          <Instant at={withdrawn.at} />: <bdi>{withdrawn.reason}</bdi>
        </p>
      )}
      <p className="actions">
        <Link href={signedStatementHref(signoff)}>The statement as it was signed</Link>
        <Link href={presentStatementHref(signoff)}>The same statement as it is known now</Link>
      </p>
    </section>
  );
}

function Changes({ signoff }: Props): ReactNode {
  const { changes, platforms, state } = signoff;
  if (state === 'withdrawn') return null;
  return (
    <section className="card" aria-labelledby="changes">
      <h2 id="changes">What has changed since</h2>
      {changes.length === 0 ? (
        <p>Nothing: each figure is as it was signed.</p>
      ) : (
        <>
          <FigureChanges caption="As signed, and as known now" changes={changes} platforms={platforms} />
          <p className="quiet">
            Either the change belongs to the next period, and the sign-off stays as the record of what was
            known. Or withdraw the review, then the preparation, and sign anew.
          </p>
        </>
      )}
    </section>
  );
}

function Signed({ signoff: { figures = [], platforms } }: Props): ReactNode {
  return (
    <section className="card" aria-labelledby="signed">
      <h2 id="signed">Signed figures</h2>
      <Table
        caption="Each figure as it was signed"
        label="All signed figures"
        columns={[
          { name: 'Type', cell: ({ entity_type: type }) => typeWords[type], isHead: true },
          { name: 'Figure', cell: (figure) => figureWords(figure, platforms) },
          { name: 'Signed', cell: (figure) => <FigureValue of={figure} />, isNumber: true },
        ]}
        rows={figures}
        keyOf={({ entity_type: type, part, line, platform, amount }) =>
          [type, part, line, platform, amount?.currency].join(' ')
        }
      />
    </section>
  );
}
