import { CONTRACT_FROM, INVOICE_FROM } from './amounts';
import type { JsonObject, StoredEntityType } from '@app/mapper';
import { fillerOf, keyOf, parentOf, type Shape } from './shape';

/** The records of platform_a, each made from its number. */
export const recordsOfA: Readonly<Record<StoredEntityType, (index: number, shape: Shape) => JsonObject>> = {
  project: (index, shape) => ({
    id: index + 1,
    name: `Tower ${index}`,
    project_number: keyOf('P', 'project', index, shape),
    ...common(index, shape),
  }),
  customer: (index, shape) => ({
    id: index + 1,
    name: `Vendor ${index}`,
    is_active: true,
    business_register: { identifier: keyOf('TRN', 'customer', index, shape) },
    ...common(index, shape),
  }),
  contract: (index, shape) => ({
    id: index + 1,
    number: keyOf('C', 'contract', index, shape),
    title: `Package ${index}`,
    status: 'Approved',
    grand_total: `${CONTRACT_FROM + index}.50`,
    project: { id: parentOf('project', index, 'contract', shape) + 1 },
    vendor: { id: parentOf('customer', index, 'contract', shape) + 1 },
    currency_configuration: { currency_iso_code: 'USD' },
    line_items: [
      { id: index + 1, position: 1, amount: `${CONTRACT_FROM + index}.50`, quantity: '1.0', uom: 'ls' },
    ],
    ...common(index, shape),
  }),
  invoice: (index, shape) => ({
    id: index + 1,
    invoice_number: keyOf('INV', 'invoice', index, shape),
    status: 'approved',
    project_id: parentOf('project', index, 'invoice', shape) + 1,
    commitment_id: parentOf('contract', index, 'invoice', shape) + 1,
    vendor_id: parentOf('customer', index, 'invoice', shape) + 1,
    billing_date: '2026-01-31',
    summary: { current_payment_due: `${INVOICE_FROM + index}.25`, tax_applicable_to_this_payment: '0.0' },
    currency_configuration: { currency_iso_code: 'USD' },
    items: [],
    ...common(index, shape),
  }),
  payment: (index, shape) => ({
    id: index + 1,
    amount: `${100 + index}.75`,
    status: 'pending',
    check_number: keyOf('CHK', 'payment', index, shape),
    project_id: parentOf('project', index, 'payment', shape) + 1,
    contract_id: parentOf('contract', index, 'payment', shape) + 1,
    requisition_id: parentOf('invoice', index, 'payment', shape) + 1,
    date: '2026-02-01',
    notes: `Progress payment ${index}`,
    ...common(index, shape),
  }),
};

function common(index: number, shape: Shape): JsonObject {
  return {
    custom_fields: fillerOf(index, shape),
    created_at: '2025-02-18T07:30:00Z',
    updated_at: '2026-02-01T06:05:12Z',
  };
}
