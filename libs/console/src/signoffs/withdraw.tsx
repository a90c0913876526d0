import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useApi } from '../data/api';
import { usePerson } from '../data/kept';
import { signoffKeys, type Signoff } from '../data/signoffs';
import { Confirm } from '../parts/confirm';
import { roleWords } from '../parts/signoff-words';
import { TextField } from '../parts/text-field';
import { scopeText } from './signed-scope';

interface WithdrawProps {
  readonly signoff: Signoff;
  readonly onClose: () => void;
}

/** Takes a name back, with a reason. Both stay in the list. */
export function Withdraw({ signoff, onClose }: WithdrawProps): ReactNode {
  const api = useApi();
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const [person, setPerson] = usePerson();
  return (
    <Confirm
      title="Withdraw the sign-off?"
      act="Withdraw"
      // It names the sign-off, and a second time changes nothing: it needs no key.
      send={() =>
        api.withdrawSignoff(signoff.id, { reason: reason.trim(), decided_by: person.trim() }, { retry: true })
      }
      done={({ signed_by: by }) => `The sign-off by ${by} was withdrawn.`}
      onDone={() => {
        void queries.invalidateQueries({ queryKey: signoffKeys.all });
        onClose();
      }}
      onClose={onClose}
    >
      <p className="name">
        {roleWords[signoff.role]} by {signoff.signed_by}. {scopeText(signoff)}.
      </p>
      <p>
        It stays in the list, as withdrawn, with your reason.
        {signoff.role === 'prepared' && ' While a review stands on it, the review has to be withdrawn first.'}
      </p>
      <TextField label="Reason" value={reason} onChange={setReason} maxLength={2000} required />
      <TextField label="Withdrawn by" value={person} onChange={setPerson} required />
    </Confirm>
  );
}
