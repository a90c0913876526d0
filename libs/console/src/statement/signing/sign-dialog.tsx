import { ApiError } from '@app/client';
import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { useApi } from '../../data/api';
import { usePerson } from '../../data/kept';
import { queryKeys, useLookAgain, type ReadStatement, type Statement } from '../../data/queries';
import { signoffKeys, type Signoff } from '../../data/signoffs';
import { Confirm, type Sending } from '../../parts/dialogs/confirm';
import { ErrorNote } from '../../parts/error-note';
import { FigureChanges } from '../../parts/tables/figure-changes';
import { roleWords } from '../../parts/words/signoff-words';
import { TextField } from '../../parts/dialogs/text-field';
import { movedFigures } from './moved';
import { ScopeFacts } from '../scope-facts';

interface SignDialogProps {
  /** What the person looked at when they chose to sign: the sign-off is bound to it. */
  readonly shown: ReadStatement;
  /** The role that is left beside the names under these figures; undefined where not all of these names are known. */
  readonly proposed: Signoff['role'] | undefined;
  readonly onClose: () => void;
}

/**
 * The dialog that signs the figures that were shown. It looks whether they have moved since, and nothing is signed before
 * that is known or could not be read. It names figures that have changed then, and again if the service refuses.
 */
export function SignDialog({ shown, proposed, onClose }: SignDialogProps): ReactNode {
  const api = useApi();
  const queries = useQueryClient();
  // Of the query that was shown: the address may ask for another statement behind the dialog.
  const look = useLookAgain(shown.query);
  const [role, setRole] = useState(proposed);
  const [person, setPerson] = usePerson();
  const [note, setNote] = useState('');
  // What the service says of the time that was signed, where it refused the digest.
  const [refuted, setRefuted] = useState<Statement>();
  const id = useId();
  const { entity_type: type } = shown.query;
  const scope = {
    currency: shown.currency,
    ...(shown.through !== null && { through: shown.through }),
    ...(type !== undefined && { entity_type: type }),
    ...(shown.project_id !== null && { project_id: shown.project_id }),
  };

  const sign = async ({ idempotencyKey }: Sending): Promise<Signoff> => {
    if (role === undefined) throw new Error('The form demands a role');
    const name = { role, signed_by: person.trim(), ...(note.trim() !== '' && { note: note.trim() }) };
    try {
      return await api.sign(
        { ...scope, as_of: shown.as_of, digest: shown.digest, ...name },
        { idempotencyKey },
      );
    } catch (error) {
      // A refusal may have other reasons, such as a name that stands there already. The figures themselves tell.
      if (error instanceof ApiError && error.status === 409) {
        // Where they cannot be read, the refusal itself still shows.
        const there = await api.statement({ ...scope, as_of: shown.as_of }).catch(() => undefined);
        if (there !== undefined && there.digest !== shown.digest) setRefuted(there);
      }
      throw error;
    }
  };

  return (
    <Confirm
      title="Sign these figures"
      act={role === undefined ? 'Sign' : actsAs[role]}
      send={sign}
      done={(signoff) => `${roleWords[signoff.role]} by ${signoff.signed_by}.`}
      onDone={() => {
        void queries.invalidateQueries({ queryKey: signoffKeys.all });
        onClose();
      }}
      isShown={look.isFetchedAfterMount}
      onClose={onClose}
    >
      <Figures of={shown} />
      <Moved
        shown={shown}
        look={look}
        refuted={refuted}
        onLook={() => {
          void queries.invalidateQueries({ queryKey: queryKeys.statement(shown.query) });
          onClose();
        }}
      />
      <label htmlFor={`${id}-role`}>
        Role
        <select
          id={`${id}-role`}
          value={role ?? ''}
          required
          onChange={({ target }) => setRole(roles.find((one) => one === target.value))}
        >
          {role === undefined && <option value="">Choose one</option>}
          <option value="prepared">I prepared these figures</option>
          <option value="reviewed">I reviewed them; another person prepared them</option>
        </select>
      </label>
      <TextField label="Name" value={person} onChange={setPerson} required />
      <TextField label="Note" value={note} onChange={setNote} maxLength={2000} hint="May stay empty." />
    </Confirm>
  );
}

const roles = ['prepared', 'reviewed'] as const satisfies readonly Signoff['role'][];
const actsAs = { prepared: 'Sign as preparer', reviewed: 'Sign as reviewer' } as const;

/** What a name will stand under: exactly the figures of this digest. */
function Figures({ of: statement }: { readonly of: ReadStatement }): ReactNode {
  return (
    <dl className="facts">
      <ScopeFacts statement={statement} />
      <div>
        <dt>Digest</dt>
        <dd className="name">
          <code>{statement.digest}</code>
        </dd>
      </div>
    </dl>
  );
}

interface MovedProps {
  readonly shown: Statement;
  readonly look: UseQueryResult<ReadStatement>;
  /** What the service says instead, where it refused the digest. */
  readonly refuted: Statement | undefined;
  readonly onLook: () => void;
}

/** Whether the figures are others than those that were shown. */
function Moved({ shown, look, refuted, onLook }: MovedProps): ReactNode {
  const now = refuted ?? look.data;
  if (now === undefined || now.digest === shown.digest) return <NotMoved look={look} />;
  const changes = movedFigures(shown, now);
  return (
    <div className="note warning" role="status">
      <p>
        <span aria-hidden="true">▲ </span>
        <strong>The figures have moved since you looked at them.</strong>
        {changes.length === 0 && ' What moved is none of the figures on the page, but the digest has it.'}
      </p>
      {changes.length > 0 && (
        <FigureChanges caption="What moved" changes={changes} platforms={shown.platforms} />
      )}
      <p className="actions">
        <button type="button" onClick={onLook}>
          Look again
        </button>
      </p>
    </div>
  );
}

/** No figure is known to have moved: because none has, because that is being read, or because it could not be. */
function NotMoved({ look }: Pick<MovedProps, 'look'>): ReactNode {
  if (!look.isFetchedAfterMount) return <p role="status">Looking whether they have moved …</p>;
  if (look.error === null) return <p role="status">They have not moved since you looked at them.</p>;
  return (
    <>
      <p role="status">Whether they have moved could not be read.</p>
      <ErrorNote error={look.error} retry={() => void look.refetch()} />
    </>
  );
}
