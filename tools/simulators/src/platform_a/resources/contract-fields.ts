import { amount, anything, date, flag, id, oneOf, text, type Fields } from '../fields';
import type { ContractKind } from '../world';

/** What differs between the two kinds of contracts. */
export interface ContractFamily {
  readonly kind: ContractKind;
  /** The key of the body. */
  readonly wrapper: string;
  /** The name that invoices call it by. */
  readonly type: 'WorkOrderContract' | 'PurchaseOrderContract';
  readonly prefix: string;
  readonly fields: Fields;
  /** Members that only this kind shows, as they are on a new one. */
  readonly extra: Readonly<Record<string, null>>;
}

const common: Fields = {
  number: text,
  title: text,
  vendor_id: id,
  description: text,
  inclusions: text,
  exclusions: text,
  accounting_method: oneOf('amount', 'unit'),
  executed: flag,
  private: flag,
  retainage_percent: amount,
  contract_date: date,
  contract_start_date: date,
  contract_estimated_completion_date: date,
  actual_completion_date: date,
  execution_date: date,
  issued_on_date: date,
  letter_of_intent_date: date,
  approval_letter_date: date,
  returned_date: date,
  signed_contract_received_date: date,
  currency_iso_code: text,
  currency_exchange_rate: amount,
  invoice_contact_user_ids: anything,
  upload_ids: anything,
  origin_id: text,
  origin_data: text,
  origin_code: text,
};

export const families: readonly ContractFamily[] = [
  {
    kind: 'work_order_contracts',
    wrapper: 'work_order_contract',
    type: 'WorkOrderContract',
    prefix: 'SC',
    fields: {
      ...common,
      status: oneOf(
        'Draft',
        'Out For Bid',
        'Out For Signature',
        'Approved',
        'Complete',
        'Terminated',
        'Void',
      ),
    },
    extra: {},
  },
  {
    kind: 'purchase_order_contracts',
    wrapper: 'purchase_order_contract',
    type: 'PurchaseOrderContract',
    prefix: 'PO',
    fields: {
      ...common,
      status: oneOf(
        'Draft',
        'Processing',
        'Submitted',
        'Partially Received',
        'Received',
        'Approved',
        'Closed',
      ),
      assignee_id: id,
      bill_to_address: text,
      ship_to_address: text,
      ship_via: text,
      payment_terms: text,
      delivery_date: date,
    },
    extra: {
      assignee: null,
      bill_to_address: null,
      ship_to_address: null,
      ship_via: null,
      payment_terms: null,
      delivery_date: null,
      billing_schedule_of_values_status: null,
    },
  },
];

export const lineFields: Fields = {
  amount,
  quantity: amount,
  unit_cost: amount,
  uom: text,
  description: text,
  extended_type: oneOf('calculated', 'manual'),
  cost_code_id: id,
  wbs_code_id: id,
  line_item_type_id: id,
  tax_code_id: id,
  origin_id: text,
  origin_data: text,
};
