import type { ObjectDetail } from '@app/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useApi } from '../data/api';
import type { Decision } from '../data/decisions';
import { useMay } from '../data/queries';
import { readAgainAfterDecision } from '../data/read-again';
import { Confirm } from '../parts/dialogs/confirm';
import { DecisionEffects } from '../parts/dialogs/decision-effects';
import { useWhy, WhyFields } from '../parts/dialogs/why-fields';
import { Loaded } from '../parts/loaded';
import { nameOf } from '../parts/words/decision-words';

type Records = ObjectDetail['mappings'];

/** Offers to say that the records of an object are not one, to keys that may. An object of one record has nothing to part. */
export function PartRecords({ object }: { readonly object: ObjectDetail }): ReactNode {
  const [asks, setAsks] = useState(false);
  const { mappings, entity_type: type } = object;
  if (!useMay('decide') || mappings.length !== 2) return null;
  return (
    <>
      <button type="button" onClick={() => setAsks(true)}>
        Part these two …
      </button>
      {asks && <PartDialog records={mappings} type={type} onClose={() => setAsks(false)} />}
    </>
  );
}

interface PartDialogProps {
  readonly records: Records;
  readonly type: Decision['entity_type'];
  readonly onClose: () => void;
}

function PartDialog({ records, type, onClose }: PartDialogProps): ReactNode {
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
