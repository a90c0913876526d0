import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApi } from '../data/api';
import { Confirm } from '../parts/dialogs/confirm';
import { Loaded } from '../parts/loaded';
import { useWhy, WhyFields } from '../parts/dialogs/why-fields';
import { Effects } from './effects';

interface WithdrawProps {
  /** The decision. */
  readonly id: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Withdraws a decision, after a dry run of what that does. */
export function Withdraw({ id, onDone, onClose }: WithdrawProps): ReactNode {
  const api = useApi();
  const why = useWhy();
  const tried = useQuery({
    queryKey: ['withdrawal', id],
    // A dry run writes nothing, and its answer does not depend on these words.
    queryFn: ({ signal }) =>
      api.withdraw(id, { reason: 'Dry run', decided_by: 'Dry run', dry_run: true }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Confirm
      title="Withdraw the decision?"
      act="Withdraw it"
      send={() => api.withdraw(id, why.members)}
      done={() => 'Withdrawn. The rules decide again, and the candidates are back.'}
      onDone={onDone}
      onClose={onClose}
    >
      <p>The decision stays in the list, with your reason. The rules then match its records anew.</p>
      <Loaded query={tried} what="what it will do" rows={2}>
        {(result) => <Effects result={result} />}
      </Loaded>
      <WhyFields why={why} />
    </Confirm>
  );
}
