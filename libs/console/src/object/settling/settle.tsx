import { ApiError, type FieldConflict, type ObjectDetail } from '@app/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { readAgainAfterChange } from '../../data/read-again';
import { useApi } from '../../data/api';
import { platforms, useMe, type Platform } from '../../data/queries';
import { Confirm } from '../../parts/dialogs/confirm';
import { ErrorNote } from '../../parts/error-note';
import { AriaDisabledButton } from '../../parts/aria-disabled-button';
import { outcomesSentence } from '../../parts/words/outcome-words';
import { useWhy, WhyFields } from '../../parts/dialogs/why-fields';
import { Conflicts } from './conflicts';
import { fieldWords, typedName } from '../../parts/words/object-words';
import { Outgoing } from './outgoing';
import type { SettleResult } from './settled-note';
import { sendsSomething, settlingChange } from './settling-change';
import type { Disagreement } from '../use-object';

interface SettleProps {
  readonly object: ObjectDetail;
  readonly disagreement: Disagreement;
  readonly onSettled: (result: SettleResult) => void;
}

/** What a dry run was of. The object may be read again behind the dialog, which still sends what it shows, for its version. */
interface Looked {
  readonly platform: Platform;
  readonly change: ReturnType<typeof settlingChange>;
  readonly version: string;
}

/** Ways to settle a difference: the value of one platform is sent again, and reaches the other. A dry run shows what goes out. */
export function Settle({ object, disagreement, onSettled }: SettleProps): ReactNode {
  const api = useApi();
  const queries = useQueryClient();
  const isLive = useMe().data?.key.mode === 'live';
  const why = useWhy();
  const [conflicts, setConflicts] = useState<readonly FieldConflict[]>([]);
  const look = useMutation({
    mutationFn: ({ change, version }: Looked) =>
      api.propagate({ ...change, dry_run: true }, { ifMatch: version }),
    onMutate: () => setConflicts([]),
    onError: (error) => setConflicts(conflictsOf(error)),
  });
  const readAgain = (): Promise<void> => queries.invalidateQueries({ queryKey: ['object'] });
  const close = (): void => {
    look.reset();
    if (conflicts.length > 0) void readAgain();
    setConflicts([]);
  };
  const { variables: looked, data: plan } = look;
  const field = fieldWords(disagreement.field);
  return (
    <>
      <div className="actions">
        {platforms
          .filter((one) => (disagreement.values[one]?.canonical ?? null) !== null)
          .map((one) => (
            <AriaDisabledButton
              key={one}
              className="small"
              isOff={look.isPending}
              onClick={() =>
                look.mutate({
                  platform: one,
                  change: settlingChange(object, disagreement, one),
                  version: object.version,
                })
              }
            >
              {disagreement.stands === one ? 'Keep' : 'Take'} {one}
              <span className="hidden"> for {field}</span>
            </AriaDisabledButton>
          ))}
      </div>
      {look.isPending && <p className="quiet">Looking what would be sent …</p>}
      {look.error !== null && <ErrorNote error={look.error} />}
      {plan === undefined && conflicts.length > 0 && (
        <Conflicts conflicts={conflicts} onReadAgain={() => void readAgain().then(() => look.reset())} />
      )}
      {plan !== undefined && !sendsSomething(plan) && (
        <div className="note">
          <p>Nothing would be sent.</p>
          <Outgoing plan={plan} />
        </div>
      )}
      {plan !== undefined && looked !== undefined && sendsSomething(plan) && (
        <Confirm
          title={`Settle ${field} by the value of ${looked.platform}?`}
          act={`Send the ${field}`}
          ifMatch={looked.version}
          {...(isLive && { typed: { what: 'its name', text: typedName(object) } })}
          send={async (sending) => {
            try {
              return await api.propagate(
                { ...looked.change, ...why.members },
                sending.ifMatch === undefined
                  ? { idempotencyKey: sending.idempotencyKey }
                  : { idempotencyKey: sending.idempotencyKey, ifMatch: sending.ifMatch },
              );
            } catch (error) {
              setConflicts(conflictsOf(error));
              throw error;
            }
          }}
          done={({ propagated }) => `Sent. ${outcomesSentence(propagated)}.`}
          onDone={(result) => {
            look.reset();
            onSettled(result);
            void readAgainAfterChange(queries);
          }}
          onClose={close}
        >
          <Outgoing plan={plan} />
          {conflicts.length > 0 && <Conflicts conflicts={conflicts} />}
          <WhyFields why={why} />
        </Confirm>
      )}
    </>
  );
}

function conflictsOf(error: unknown): readonly FieldConflict[] {
  return error instanceof ApiError ? error.conflicts : [];
}
