import { useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { ErrorNote } from '../parts/error-note';
import { ScreenNotLoaded } from '../parts/words/error-words';
import { Skeleton } from '../parts/skeleton';

/**
 * A screen whose script is loaded when it is first opened. If the service is unreachable, the screen shows that, and
 * loads the script at the next attempt. React's `lazy` would remember the failure until the page is reloaded, which
 * would forget the key.
 *
 * @param path of the screen in the routes
 */
export function loadScreen(
  path: string,
  load: () => Promise<{ readonly default: ComponentType }>,
): ComponentType {
  const read = async (): Promise<ComponentType> => {
    try {
      return (await load()).default;
    } catch (cause) {
      throw new ScreenNotLoaded('The script of a screen was not loaded', { cause });
    }
  };
  return function LoadedScreen() {
    const { data, error, refetch } = useQuery({
      queryKey: ['screen', path],
      // In an object, because a component is a function, and a query calls functions that it is given.
      queryFn: async () => ({ Screen: await read() }),
      staleTime: Infinity,
      gcTime: Infinity,
      structuralSharing: false,
    });
    if (data !== undefined) return <data.Screen />;
    if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
    return <Skeleton what="the screen" rows={6} />;
  };
}
