import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useMay, type ReadStatement } from '../../data/queries';
import { LATEST, useLatestSignoffs, type Signoff } from '../../data/signoffs';
import type { KeysetPage } from '../../data/pages';
import { Loaded } from '../../parts/loaded';
import { standingOf } from '../../parts/words/signoff-words';
import { signoffColumns } from '../../parts/tables/signoff-columns';
import { Table, type Column } from '../../parts/tables/table';
import { StatusMark } from '../../parts/values/status-mark';
import { SignDialog } from './sign-dialog';
import { namesUnder } from './names-under';

interface SigningProps {
  readonly statement: ReadStatement;
}

/**
 * Shows who prepared and reviewed exactly these figures, and how figures that were signed before have changed, with a
 * button to sign once the names are known: what a name is to the figures depends on those that stand there.
 */
export default function Signing({ statement }: SigningProps): ReactNode {
  const signoffs = useLatestSignoffs();
  const may = useMay('decide');
  return (
    <section className="card" aria-labelledby="signing">
      <div className="page-head">
        <h2 id="signing">Sign-off</h2>
        {may && signoffs.data !== undefined && (
          <Sign statement={statement} proposed={roleLeft(signoffs.data, statement)} />
        )}
      </div>
      {!statement.complete && <p>Only a complete statement can be signed: see above what is missing.</p>}
      <Loaded query={signoffs} what="the sign-offs" rows={2}>
        {(page) => <Names page={page} statement={statement} />}
      </Loaded>
      <p className="off-paper">
        <Link href="/signoffs">All sign-offs</Link>
      </p>
    </section>
  );
}

interface NamesProps extends SigningProps {
  readonly page: KeysetPage<Signoff>;
}

function Names({ page, statement }: NamesProps): ReactNode {
  const { these, others } = namesUnder(page.data, statement);
  const where = page.next_cursor === null ? '' : ` among the latest ${LATEST} sign-offs`;
  return (
    <>
      {these.length === 0 ? (
        <p>Nobody has signed exactly these figures{where}.</p>
      ) : (
        <Table
          caption="Exactly these figures"
          label="Sign-offs of these figures"
          columns={columns}
          rows={these}
          keyOf={({ id }) => id}
        />
      )}
      {others.length > 0 && (
        <Table
          caption="Other figures of the same scope, signed before"
          label="Earlier sign-offs"
          columns={columns}
          rows={others}
          keyOf={({ id }) => id}
        />
      )}
    </>
  );
}

const columns: readonly Column<Signoff>[] = [
  ...signoffColumns,
  { name: 'Now', cell: (signoff) => <StatusMark status={standingOf(signoff)} /> },
  { name: 'Note', cell: ({ note }) => <span className="name">{note ?? '–'}</span> },
];

/** The role beside the names under the figures: undefined where names may be behind the latest sign-offs. */
function roleLeft(page: KeysetPage<Signoff>, statement: ReadStatement): Signoff['role'] | undefined {
  if (namesUnder(page.data, statement).these.length > 0) return 'reviewed';
  return page.next_cursor === null ? 'prepared' : undefined;
}

interface SignProps extends SigningProps {
  readonly proposed: Signoff['role'] | undefined;
}

/**
 * The dialog keeps the statement for which it was opened, even if the page reads another one meanwhile: while a
 * platform is being synced, a present statement could not be signed.
 */
function Sign({ statement, proposed }: SignProps): ReactNode {
  const [shown, setShown] = useState<ReadStatement>();
  return (
    <>
      {statement.complete && (
        <button type="button" onClick={() => setShown(statement)}>
          Sign these figures …
        </button>
      )}
      {shown !== undefined && (
        <SignDialog shown={shown} proposed={proposed} onClose={() => setShown(undefined)} />
      )}
    </>
  );
}
