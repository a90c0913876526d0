import { useEffect, useRef, type ReactNode } from 'react';

interface PageProps {
  /** The heading, and the title of the window. No ID and no name of a record: titles get into histories. */
  readonly title: string;
  /** Beside the heading: what may be done with the whole page. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A screen: its heading takes the focus when it opens, and names the window. */
export function Page({ title, actions, children }: PageProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Console`;
    heading.current?.focus();
  }, [title]);
  return (
    <>
      <div className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}
