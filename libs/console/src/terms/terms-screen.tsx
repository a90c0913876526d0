import type { ReactNode } from 'react';
import { useMay } from '../data/queries';
import { Page } from '../parts/page';
import { PrecedenceCard } from './precedence-card';
import { RatesCard } from './rates-card';
import { RulesCard } from './rules-card';

/** What is agreed with the customer: rates, whose value counts, and what becomes of changes. */
export default function TermsScreen(): ReactNode {
  const may = useMay('administer');
  return (
    <Page title="Terms">
      <RatesCard may={may} />
      <PrecedenceCard may={may} />
      <RulesCard may={may} />
    </Page>
  );
}
