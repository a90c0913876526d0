import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useTimeZone } from '../data/queries';
import { hrefOf } from '../location';
import { AsOfField } from '../parts/as-of-field';
import type { FormTexts } from '../parts/form-texts';
import { ScopeForm } from '../parts/scope-form';
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
  const addressOf = ({ as_of: day = '' }: FormTexts): string =>
    hrefOf(path, { view: shown, as_of: momentOf(day, asOf, zone) });
  return (
    <>
      <ScopeForm query={asOf} addressOf={addressOf}>
        <AsOfField asOf={asOf} />
      </ScopeForm>
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
