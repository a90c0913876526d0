import { ApiError, type FieldConflict, type ObjectDetail } from '@app/client';
import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
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

/**
 * The object and the change of a dry run. The object may be read again while the dialog is open, but the dialog sends
 * the change that it shows, for the version that it shows.
 */
interface Looked {
  readonly object: ObjectDetail;
  readonly disagreement: Disagreement;
  readonly platform: Platform;
}

/** A change that a person is about to send: a dry run, and what it has found. */
export interface AskedSettling extends Looked {
  readonly plan: SettleResult;
}

interface SettleProps extends Pick<Looked, 'object' | 'disagreement'> {
  readonly onAsk: (asked: AskedSettling) => void;
}

/**
 * Buttons to settle a difference: the value of one platform is sent to the platforms that lack it. A dry run shows what
 * would be sent.
 */
export function Settle({ object, disagreement, onAsk }: SettleProps): ReactNode {
  const api = useApi();
  const queries = useQueryClient();
  const [conflicts, setConflicts] = useState<readonly FieldConflict[]>([]);
  const look = useMutation({
    mutationFn: (looked: Looked) =>
      api.propagate({ ...changeOf(looked), dry_run: true }, { ifMatch: looked.object.version }),
    onMutate: () => setConflicts([]),
    onError: (error) => setConflicts(conflictsOf(error)),
  });
  const tryOut = (platform: Platform): void => {
    const looked = { object, disagreement, platform };
    // Nobody is asked once the difference has gone from the page.
    look.mutate(looked, {
      onSuccess: (plan) => {
        if (sendsSomething(plan)) onAsk({ ...looked, plan });
      },
    });
  };
  const { data: plan } = look;
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
              onClick={() => tryOut(one)}
            >
              {disagreement.stands === one ? 'Keep' : 'Take'} {one}
              <span className="hidden"> for {fieldWords(disagreement.field)}</span>
            </AriaDisabledButton>
          ))}
      </div>
      {look.isPending && <p className="quiet">Looking what would be sent …</p>}
      {look.error !== null && <ErrorNote error={look.error} />}
      {plan === undefined && conflicts.length > 0 && (
        <Conflicts
          conflicts={conflicts}
          onReadAgain={() => void readAgain(queries).then(() => look.reset())}
        />
      )}
      {plan !== undefined && !sendsSomething(plan) && (
        <div className="note">
          <p>Nothing would be sent.</p>
          <Outgoing plan={plan} />
        </div>
      )}
    </>
  );
}

interface SettleDialogProps {
  readonly asked: AskedSettling;
  readonly onSettled: (result: SettleResult) => void;
  readonly onClose: () => void;
}

/** Asks before the change is sent. It is not part of the row, which may go while the person writes the reason. */
export function SettleDialog({ asked, onSettled, onClose }: SettleDialogProps): ReactNode {
  const { object, disagreement, platform, plan } = asked;
  const api = useApi();
  const queries = useQueryClient();
  const isLive = useMe().data?.key.mode === 'live';
  const why = useWhy();
  const [conflicts, setConflicts] = useState<readonly FieldConflict[]>([]);
  const field = fieldWords(disagreement.field);
  return (
    <Confirm
      title={`Settle ${field} by the value of ${platform}?`}
      act={`Send the ${field}`}
      ifMatch={object.version}
      {...(isLive && { typed: { what: 'its name', text: typedName(object) } })}
      send={async (sending) => {
        try {
          return await api.propagate(
            { ...changeOf(asked), ...why.members },
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
        onSettled(result);
        void readAgainAfterChange(queries);
      }}
      onClose={() => {
        if (conflicts.length > 0) void readAgain(queries);
        onClose();
      }}
    >
      <Outgoing plan={plan} />
      {conflicts.length > 0 && <Conflicts conflicts={conflicts} />}
      <WhyFields why={why} />
    </Confirm>
  );
}

function changeOf({ object, disagreement, platform }: Looked): ReturnType<typeof settlingChange> {
  return settlingChange(object, disagreement, platform);
}

function readAgain(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: ['object'] });
}

function conflictsOf(error: unknown): readonly FieldConflict[] {
  return error instanceof ApiError ? error.conflicts : [];
}
