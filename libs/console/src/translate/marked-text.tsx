import { useEffect, useRef, type ReactNode, type Ref } from 'react';
import type { JsonPlace } from './json-places';

/** A text with marks at some of its places. */
export function marked(text: string, places: readonly JsonPlace[]): ReactNode[] {
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const { start, end } of places) {
    pieces.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>);
    at = end;
  }
  pieces.push(text.slice(at));
  return pieces;
}

interface MarkedJsonProps {
  /** Names the region. */
  readonly label: string;
  readonly text: string;
  readonly places: readonly JsonPlace[];
}

/** JSON to read, with marks. The first of them is scrolled into view. */
export function MarkedJson({ label, text, places }: MarkedJsonProps): ReactNode {
  const pre = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (pre.current !== null) showMark(pre.current, pre.current);
  }, [places]);
  return (
    <pre ref={pre} className="json" role="region" aria-label={label} tabIndex={0}>
      {marked(text, places)}
    </pre>
  );
}

interface MarkedFieldProps {
  readonly field: Ref<HTMLTextAreaElement>;
  readonly id: string;
  readonly text: string;
  readonly places: readonly JsonPlace[];
  readonly isRefused: boolean;
  readonly describedBy: string;
  readonly onChange: (text: string) => void;
  readonly onTranslate: () => void;
}

/**
 * An editable text with highlighted parts. The highlights are in a layer behind the text with the same content, because
 * a `textarea` has none.
 */
export function MarkedField(props: MarkedFieldProps): ReactNode {
  const { field, id, text, places, isRefused, describedBy, onChange, onTranslate } = props;
  const layer = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const area = box.current?.querySelector('textarea');
    if (layer.current !== null && area) showMark(layer.current, area);
  }, [places]);
  return (
    <div ref={box} className={`marked-field${isRefused ? ' refused' : ''}`}>
      <div ref={layer} className="json" aria-hidden="true">
        {marked(text, places)}
        {'\n'}
      </div>
      <textarea
        ref={field}
        id={id}
        className="json"
        rows={18}
        spellCheck={false}
        value={text}
        aria-invalid={isRefused}
        aria-describedby={describedBy}
        onScroll={({ currentTarget }) => {
          if (layer.current !== null) layer.current.scrollTop = currentTarget.scrollTop;
        }}
        onChange={({ target: { value } }) => onChange(value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onTranslate();
        }}
      />
    </div>
  );
}

/** Scrolls the first mark of a text into its middle, where it is out of sight. The page itself stays. */
function showMark(text: HTMLElement, scrolled: HTMLElement): void {
  const mark = text.querySelector('mark');
  if (mark === null) return;
  const { offsetTop: top, offsetHeight: height } = mark;
  const isInView = top >= scrolled.scrollTop && top + height <= scrolled.scrollTop + scrolled.clientHeight;
  if (!isInView) scrolled.scrollTop = top - scrolled.clientHeight / 2;
}
