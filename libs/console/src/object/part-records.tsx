import type { ObjectDetail } from '@app/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApi } from '../data/api';
import { useMay } from '../data/queries';
import { readAgainAfterDecision } from '../data/read-again';
import { Confirm } from '../parts/dialogs/confirm';
import { DecisionEffects } from '../parts/dialogs/decision-effects';
import { useWhy, WhyFields } from '../parts/dialogs/why-fields';
import { Loaded } from '../parts/loaded';
import { nameOf } from '../parts/words/decision-words';

interface PartRecordsProps {
  readonly object: ObjectDetail;
  readonly onAsk: (object: ObjectDetail) => void;
}

/**
 * Offers to decide that the records of an object are not the same, if the key has the permission. An object with one
 * record has nothing to part.
 */
export function PartRecords({ object, onAsk }: PartRecordsProps): ReactNode {
  if (!useMay('decide') || object.mappings.length !== 2) return null;
  return (
    <button type="button" onClick={() => onAsk(object)}>
      Part these two …
    </button>
  );
}

interface PartDialogProps {
  /** As the person saw it: the records may be parted by then. */
  readonly object: ObjectDetail;
  readonly onClose: () => void;
}

/** Asks before the records of an object are parted, after a dry run of what that does. */
export function PartDialog({
  object: { mappings: records, entity_type: type },
  onClose,
}: PartDialogProps): ReactNode {
  const api = useApi();
  const queries = useQueryClient();
  const why = useWhy();
  const body = {
    decision: 'not_same' as const,
    entity_type: type,
    records: records.map(({ platform, platform_id }) => ({ platform, platform_id })),
  };
  const tried = useQuery({
    queryKey: ['parting', body],
    // A dry run writes nothing, and its answer does not depend on these words.
    queryFn: ({ signal }) =>
      api.decide({ ...body, reason: 'Dry run', decided_by: 'Dry run', dry_run: true }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Confirm
      title="Part these two records?"
      act="Part them"
      isShown={tried.data !== undefined}
      send={({ idempotencyKey }) => api.decide({ ...body, ...why.members }, { idempotencyKey })}
      done={() => 'Parted. Each record has an object of its own.'}
      onDone={() => {
        void readAgainAfterDecision(queries);
        onClose();
      }}
      onClose={onClose}
    >
      <p className="text">
        The {type} {records.map(nameOf).join(' and ')} are not the same. No rule links them again while the
        decision stands.
      </p>
      <Loaded query={tried} what="what it will do" rows={2}>
        {(result) => <DecisionEffects result={result} />}
      </Loaded>
      <WhyFields why={why} />
      <p className="quiet">It is withdrawn at Decisions, where it stands with your reason.</p>
    </Confirm>
  );
}
