import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApi } from '../data/api';
import { signoffKeys, type Signoff } from '../data/signoffs';
import { Confirm } from '../parts/dialogs/confirm';
import { roleWords } from '../parts/words/signoff-words';
import { useWhy, WhyFields } from '../parts/dialogs/why-fields';
import { scopeText } from './signed-scope';

interface WithdrawProps {
  readonly signoff: Signoff;
  readonly onClose: () => void;
}

/** Takes a name back, with a reason. Both stay in the list. */
export function Withdraw({ signoff, onClose }: WithdrawProps): ReactNode {
  const api = useApi();
  const queries = useQueryClient();
  const why = useWhy();
  return (
    <Confirm
      title="Withdraw the sign-off?"
      act="Withdraw"
      send={({ idempotencyKey }) => api.withdrawSignoff(signoff.id, why.members, { idempotencyKey })}
      done={({ signed_by: by }) => `The sign-off by ${by} was withdrawn.`}
      onDone={() => {
        void queries.invalidateQueries({ queryKey: signoffKeys.all });
        onClose();
      }}
      onClose={onClose}
    >
      <p className="name">
        {roleWords[signoff.role]} by <bdi>{signoff.signed_by}</bdi>. {scopeText(signoff)}.
      </p>
      <p>
        It stays in the list, as withdrawn, with your reason.
        {signoff.role === 'prepared' && ' While a review stands on it, the review has to be withdrawn first.'}
      </p>
      <WhyFields why={why} />
    </Confirm>
  );
}
