import { project as fields } from '../../canonical/types';
import { at, own, folded } from '../../mapping/binding';
import { enumerationCodec } from '../../mapping/codecs/enumeration';
import { Mapping } from '../../mapping/mapping';
import { address, currency, date, moneyNumber, text, timestamp } from './codecs';
import { recordId } from './record-id';
import { projects } from './resources/project';

/** A project. It has no status but whether it is active; the stage says more, in each company's own words. */
export const project = Mapping.define<typeof fields>(
  'project',
  projects,
  {
    number: at('project_number', text),
    name: at('name', text),
    description: at('description', text),
    status: folded(
      'active',
      enumerationCodec({ active: true, inactive: false, planning: true, quote: true, completed: false }),
    ),
    stage: at('stage', text),
    start_date: at('start_date', date),
    end_date: at('completion_date', date),
    actual_start_date: at('actual_start_date', date),
    projected_end_date: at('projected_finish_date', date),
    total_value: at('total_value', moneyNumber),
    currency: at('currency_configuration.currency_iso_code', currency),
    address,
    created_at: own('created_at', timestamp),
    updated_at: own('updated_at', timestamp),
  },
  {
    id: recordId,
    currency: 'currency_configuration.currency_iso_code',
  },
);
