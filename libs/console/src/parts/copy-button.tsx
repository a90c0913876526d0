import { useState, type ReactNode } from 'react';
import { announce } from './announcer';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for the name of the button: `request ID`. */
  readonly what: string;
  readonly children?: ReactNode;
}

/** Copies a text. Where the browser refuses, it says so: pages without HTTPS have no clipboard. */
export function CopyButton({ text, what, children = 'Copy' }: CopyButtonProps): ReactNode {
  // Of another text it says nothing: the clipboard still has the one before.
  const [done, setDone] = useState({ text: '', words: '' });
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setDone({ text, words: 'Copied' });
      announce(`Copied the ${what}.`);
    } catch {
      setDone({ text, words: 'Not allowed' });
      announce('The browser does not let this page copy. Select the text instead.');
    }
  };
  return (
    <button type="button" className="small" aria-label={`Copy the ${what}`} onClick={() => void copy()}>
      {done.words !== '' && done.text === text ? done.words : children}
    </button>
  );
}
