import { customer as fields } from '../../canonical/types';
import { absent, at, folded, own, reference } from '../../mapping/binding';
import { enumerationCodec } from '../../mapping/codecs/enumeration';
import { Mapping } from '../../mapping/mapping';
import { address, idIn, text, timestamp } from './codecs';
import { recordId } from './record-id';
import { vendors } from './resources/customer';

/** A vendor: here the company the contractor pays. */
export const customer = Mapping.define<typeof fields>(
  'customer',
  vendors,
  {
    number: absent,
    name: at('name', text),
    legal_name: at('legal_name', text),
    trade_name: at('trade_name', text),
    short_name: at('abbreviated_name', text),
    kind: absent,
    email: at('email_address', text),
    phone: at('business_phone', text),
    mobile: at('mobile_phone', text),
    website: at('website', text),
    address,
    tax_id: at('business_register.identifier', text),
    status: folded(
      'is_active',
      enumerationCodec({ active: true, ship_blocked: true, invoice_blocked: true, inactive: false }),
    ),
    currency: absent,
    credit_limit: absent,
    balance_due: absent,
    parent_id: reference(idIn('parent.id')),
    created_at: own('created_at', timestamp),
    updated_at: own('updated_at', timestamp),
  },
  {
    id: recordId,
    shownOf: { parent_id: ['parent.name'] },
  },
);
