import type { ReactNode } from 'react';

interface AriaDisabledButtonProps {
  /** Whether it does nothing now, because what it asked for is under way or is not there. */
  readonly isOff: boolean;
  readonly onClick: () => void;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** A button that is off at times and keeps the focus: browsers take it from one that is `disabled`, and people who go by keyboard would lose their place. */
export function AriaDisabledButton({
  isOff,
  onClick,
  className,
  children,
}: AriaDisabledButtonProps): ReactNode {
  return (
    <button
      type="button"
      className={className}
      aria-disabled={isOff}
      onClick={() => {
        if (!isOff) onClick();
      }}
    >
      {children}
    </button>
  );
}
