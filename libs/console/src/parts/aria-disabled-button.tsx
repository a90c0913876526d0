import type { ReactNode } from 'react';

interface AriaDisabledButtonProps {
  /** Whether it does nothing now, because what it asked for is under way or is not there. */
  readonly isOff: boolean;
  readonly onClick: () => void;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/**
 * A button that can be inactive without losing the focus. Browsers take the focus from a `disabled` button, and
 * keyboard users would lose their place.
 */
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
