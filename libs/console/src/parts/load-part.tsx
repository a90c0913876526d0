import { useQuery } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { ErrorNote } from './error-note';
import { PartNotLoaded } from './words/error-words';
import { Skeleton } from './skeleton';

interface LoadedPart<Props> {
  /** Tells the part from all others. */
  readonly name: string;
  /** What a person waits for: 'the screen'. */
  readonly what: string;
  /** About how many rows it will fill. */
  readonly rows: number;
  /** Loads the script, whose default export is the part. */
  readonly load: () => Promise<{ readonly default: ComponentType<Props> }>;
}

/**
 * A part of the console whose script is loaded when the part first shows, such as a screen that is opened. If the
 * service is unreachable, the part's place shows that, and its button loads the script again. React's `lazy` would
 * remember the failure until the page is reloaded, which would forget the key, and would take the whole screen with it.
 */
export function loadPart<Props extends object>({
  name,
  what,
  rows,
  load,
}: LoadedPart<Props>): ComponentType<Props> {
  const read = async (): Promise<ComponentType<Props>> => {
    try {
      return (await load()).default;
    } catch (cause) {
      throw new PartNotLoaded('The script of a part was not loaded', { cause });
    }
  };
  return function Part(props: Props): ReactNode {
    const { data, error, refetch } = useQuery({
      queryKey: ['part', name],
      // In an object, because a component is a function, and a query calls functions that it is given.
      queryFn: async () => ({ Loaded: await read() }),
      staleTime: Infinity,
      gcTime: Infinity,
      structuralSharing: false,
    });
    if (data !== undefined) return <data.Loaded {...props} />;
    if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
    return <Skeleton what={what} rows={rows} />;
  };
}
