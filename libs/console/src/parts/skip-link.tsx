import type { ReactNode } from 'react';

interface SkipLinkProps {
  /** The ID of an element that takes the focus. */
  readonly to: string;
  readonly children: ReactNode;
}

/** A link by which keyboard users skip what precedes an element. It is visible while it has the focus. */
export function SkipLink({ to, children }: SkipLinkProps): ReactNode {
  return (
    <a
      className="skip"
      href={`#${to}`}
      onClick={(event) => {
        event.preventDefault(); // The part behind the # is the address of the screen.
        document.getElementById(to)?.focus();
      }}
    >
      {children}
    </a>
  );
}
