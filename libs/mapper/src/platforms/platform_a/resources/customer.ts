import { fields, never, notEchoed, placed } from '../../../resource/native-field';
import { NativeResource } from '../../../resource/native-resource';
import { address, origin, ownId, stamps } from './common';

const REGISTER = 'is kept in the business register, which has calls of its own';
const parent = { kind: 'member', name: 'parent_id' } as const;

/** Vendors of the company. */
export const vendors = new NativeResource({
  name: 'vendors',
  path: '/rest/v1.0/vendors',
  wrapper: 'vendor',
  requiredToCreate: ['name'],
  fields: [
    ownId,
    fields('text', 'name', 'abbreviated_name', 'trade_name', 'notes', 'license_number', 'labor_union'),
    fields('text', 'website', 'business_phone', 'mobile_phone', 'fax_number', 'email_address'),
    address,
    fields('boolean', 'is_active', 'authorized_bidder', 'prequalified', 'union_member'),
    fields('boolean', 'non_union_prevailing_wage'),
    placed('id', 'parent.id', { creating: parent, changing: parent }),
    fields('id', 'vendor_group_id', 'primary_contact_id'),
    fields('list', 'trade_ids', 'standard_cost_code_ids'),
    notEchoed(fields('list', 'bidding_distribution_ids')),
    origin,
    never('repeats the name', fields('text', 'company')),
    never(
      REGISTER,
      fields('foreign_id', 'business_id'),
      fields('object', 'business_register'),
      fields('text', 'business_register.identifier', 'legal_name'),
    ),
    never('is the name of the vendor that parent_id names', fields('text', 'parent.name')),
    never('is said by the accounting integration', fields('boolean', 'synced_to_erp')),
    never('follows from the directories of the projects', fields('list', 'project_ids')),
    stamps,
  ],
});
