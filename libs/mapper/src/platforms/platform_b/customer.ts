import { customer as fields } from '../../canonical/types';
import { absent, at, folded, own } from '../../mapping/binding';
import { Mapping } from '../../mapping/mapping';
import { BLANK_VALUE, address, code, currency, localMoney, text, timestamp, enumeration } from './codecs';
import { everyResource } from './every-resource';
import { customers } from './resources/customer';

/** A customer. Its blank `blocked` means that nothing is blocked. */
export const customer = Mapping.define<typeof fields>(
  'customer',
  customers,
  {
    number: at('number', code(20)),
    name: at('displayName', text(100)),
    legal_name: absent,
    trade_name: absent,
    short_name: absent,
    kind: at('type', enumeration({ company: 'Company', person: 'Person' })),
    email: at('email', text(80)),
    phone: at('phoneNumber', text(30)),
    mobile: absent,
    website: at('website', text(80)),
    address,
    tax_id: at('taxRegistrationNumber', text(20)),
    status: folded(
      'blocked',
      enumeration({ active: BLANK_VALUE, ship_blocked: 'Ship', invoice_blocked: 'Invoice', inactive: 'All' }),
    ),
    currency: at('currencyCode', currency),
    credit_limit: at('creditLimit', localMoney),
    balance_due: at('balanceDue', localMoney),
    parent_id: absent,
    created_at: absent,
    updated_at: own('lastModifiedDateTime', timestamp),
  },
  {
    ...everyResource,
    currency: 'currencyCode',
  },
);
