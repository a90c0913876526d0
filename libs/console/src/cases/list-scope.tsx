import { useId, type ReactNode } from 'react';
import { membersOf, type CaseQuery } from '../data/case-query';
import { platforms, useMe, useTimeZone } from '../data/queries';
import { hrefOf } from '../location';
import { AsOfField } from '../parts/as-of-field';
import { ChoiceField, optionsOf } from '../parts/dialogs/choice-field';
import type { FormTexts } from '../parts/form-texts';
import { ScopeForm } from '../parts/scope-form';
import { momentOf } from '../parts/values/time-text';

const states = [
  ['', 'open'],
  ['accepted', 'accepted'],
  ['closed', 'closed'],
  ['all', 'open and closed'],
] as const;

const sorts = [
  ['', 'oldest first'],
  ['amount', 'largest difference first'],
  ['type', 'by type'],
  ['closed', 'closed last first'],
] as const;

const ages = [
  ['', 'since first seen'],
  ['document', 'since the date of the document'],
  ['due', 'since it is due'],
] as const;

/** Which cases, of when, in which order. It stands in the address, beside what the facets choose. */
export function ListScope({ query }: { readonly query: CaseQuery }): ReactNode {
  const id = useId();
  const zone = useTimeZone();
  const currencies = useMe().data?.currencies ?? [];
  const known = query.currency === undefined ? currencies : [...new Set([...currencies, query.currency])];
  const addressOf = (texts: FormTexts): string => {
    const members = membersOf(query, { ...texts, as_of: momentOf(texts['as_of'] ?? '', query.as_of, zone) });
    // Only closed cases have the time of their closing.
    if (members['sort'] === 'closed' && members['state'] !== 'closed') members['sort'] = undefined;
    return hrefOf('/cases', members);
  };
  return (
    <ScopeForm query={query} addressOf={addressOf}>
      <ChoiceField name="state" label="Cases" options={states} value={query.state} />
      <ChoiceField
        name="platform"
        label="Records"
        options={[['', 'of both platforms'], ...platforms.map((one) => [one, `of ${one} alone`] as const)]}
        value={query.platform}
      />
      <ChoiceField name="sort" label="Order" options={sorts} value={query.sort} />
      <ChoiceField name="age_by" label="Ages count" options={ages} value={query.age_by} />
      <ChoiceField
        name="currency"
        label="Amount in"
        options={[['', 'any currency'], ...optionsOf(known)]}
        value={query.currency}
      />
      <label htmlFor={`${id}-owner`}>
        Owner
        <input
          id={`${id}-owner`}
          name="owner"
          defaultValue={query.owner}
          maxLength={200}
          autoComplete="off"
        />
      </label>
      <AsOfField asOf={query.as_of} />
      <label htmlFor={`${id}-through`}>
        Documents through
        <input id={`${id}-through`} type="date" name="through" defaultValue={query.through} />
      </label>
    </ScopeForm>
  );
}
