import type { StoredEntityType } from '@app/client';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApi } from '../data/api';
import { useMe } from '../data/queries';
import { announce } from '../parts/announcer';
import { ErrorNote } from '../parts/error-note';
import { AriaDisabledButton } from '../parts/aria-disabled-button';
import { rawRecords } from '../parts/values/raw-records';
import type { Choice } from './choice';

const stored: ReadonlySet<string> = new Set<StoredEntityType>([
  'project',
  'customer',
  'contract',
  'invoice',
  'payment',
]);

function isStored(type: string): type is StoredEntityType {
  return stored.has(type);
}

function noneOf(platform: Choice['source'], type: StoredEntityType): string {
  return `${platform} has no ${type}.`;
}

interface SampleButtonProps {
  readonly choice: Choice;
  readonly onSample: (text: string) => void;
}

/** Takes the platform's first record of the type for a sample. It is offered where there can be one. */
export function SampleButton({ choice: { source, entityType }, onSample }: SampleButtonProps): ReactNode {
  const api = useApi();
  const isConnected = useMe().data?.platforms[source] !== undefined;
  const load = useMutation({
    mutationFn: async (type: StoredEntityType): Promise<string | undefined> => {
      const {
        data: [first],
      } = await api.objects({ platform: source, entity_type: type, limit: 1 });
      if (first === undefined) return undefined;
      // In the listing, the browser has already rounded numbers.
      const records = rawRecords(await api.objectText(first.canonical_id));
      return records.find(({ platform, platformId }) => platform === source && platformId === first.id)?.text;
    },
  });
  if (!isConnected || !isStored(entityType)) return null;
  const take = (): void => {
    // The callback does not run if the button is gone by then.
    load.mutate(entityType, {
      onSuccess: (sample) => {
        if (sample === undefined) announce(noneOf(source, entityType));
        else onSample(sample);
      },
    });
  };
  return (
    <>
      <AriaDisabledButton isOff={load.isPending} onClick={take}>
        Load a sample
      </AriaDisabledButton>
      {load.isSuccess && load.data === undefined && <p>{noneOf(source, load.variables)}</p>}
      {load.error !== null && <ErrorNote error={load.error} retry={take} />}
    </>
  );
}
