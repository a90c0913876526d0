import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTimeZone } from '../data/queries';
import { announce } from './announcer';
import { download } from './download';
import { ErrorNote } from './error-note';
import { AriaDisabledButton } from './aria-disabled-button';
import { dayIn } from './values/time-text';

interface CsvButtonProps {
  /** The button's words. */
  readonly words: string;
  /** Reads the whole file. */
  readonly read: () => Promise<string>;
  /** What the file is called, before its day. */
  readonly name: string;
  /**
   * The day or moment that the file shows, in ISO form; by default now. The file's name has the day in the customer's
   * time zone.
   */
  readonly day?: string | undefined;
}

/** Gives what a list shows to the person as a file. */
export function CsvButton({ words, read, name, day }: CsvButtonProps): ReactNode {
  const zone = useTimeZone();
  const file = useMutation({
    mutationFn: read,
    onSuccess: (text) => {
      const of = dayIn(day ?? new Date().toISOString(), zone);
      download(`${name}-${of}.csv`, text, 'text/csv;charset=utf-8');
      announce('The file is with your downloads.');
    },
  });
  return (
    <>
      <AriaDisabledButton isOff={file.isPending} onClick={() => file.mutate()}>
        {file.isPending ? 'Reading …' : words}
      </AriaDisabledButton>
      {file.error !== null && <ErrorNote error={file.error} retry={() => file.mutate()} />}
    </>
  );
}
