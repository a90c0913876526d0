import { type FormEvent, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useTimeZone } from '../data/queries';
import { hrefOf, navigate } from '../location';
import { AsOfField } from '../parts/as-of-field';
import { followFocus } from '../parts/dialogs/follow-focus';
import { textsOf } from '../parts/form-texts';
import { Instant } from '../parts/values/instant';
import { momentOf } from '../parts/values/time-text';

interface AsOfProps {
  readonly path: string;
  readonly view: string;
  /** A time, or a day; undefined for now. */
  readonly asOf: string | undefined;
}

/** As of when the object shows. It stands in the address. */
export function AsOf({ path, view, asOf }: AsOfProps): ReactNode {
  const zone = useTimeZone();
  const shown = view === 'fields' ? undefined : view;
  const show = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const day = textsOf(event.currentTarget)['as_of'] ?? '';
    followFocus();
    navigate(hrefOf(path, { view: shown, as_of: momentOf(day, asOf, zone) }));
  };
  return (
    <>
      <form className="scope" key={asOf} onSubmit={show}>
        <AsOfField asOf={asOf} />
        <button type="submit">Show</button>
      </form>
      {asOf !== undefined && (
        <p className="note">
          <span aria-hidden="true">◷ </span>As it was known{' '}
          {asOf.includes('T') ? (
            <>
              at <Instant at={asOf} />
            </>
          ) : (
            `at the end of ${asOf}`
          )}
          . <Link href={hrefOf(path, { view: shown })}>Show it as it is now</Link>
        </p>
      )}
    </>
  );
}
