import type { components } from '@app/client';
import type { Platform } from '../data/queries';
import { storedTypes } from '../parts/words/type-words';

type EntityType = components['schemas']['TransformDto']['entity_type'];

/** Types that the service translates. The stored ones come first: of these there is a sample. */
export const entityTypes = [
  ...storedTypes,
  'employee',
  'time_entry',
  'change_order',
  'budget_line_item',
] as const satisfies readonly EntityType[];

/** The kinds of contract of platform_a, which a contract itself does not say. */
export const commitmentTypes = ['WorkOrderContract', 'PurchaseOrderContract'] as const;

/** What is to be translated. */
export interface Choice {
  readonly source: Platform;
  readonly entityType: EntityType;
  readonly commitmentType: (typeof commitmentTypes)[number];
}
