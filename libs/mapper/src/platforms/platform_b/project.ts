import { project as fields } from '../../canonical/types';
import { absent, at, own } from '../../mapping/binding';
import { Mapping } from '../../mapping/mapping';
import { code, text, timestamp } from './codecs';
import { everyResource } from './every-resource';
import { projects } from './resources/project';

/** A job. The standard page shows four fields of it. */
export const project = Mapping.define<typeof fields>(
  'project',
  projects,
  {
    number: at('number', code(20)),
    name: at('displayName', text(100)),
    description: absent,
    status: absent,
    stage: absent,
    start_date: absent,
    end_date: absent,
    actual_start_date: absent,
    projected_end_date: absent,
    total_value: absent,
    currency: absent,
    address: absent,
    created_at: absent,
    updated_at: own('lastModifiedDateTime', timestamp),
  },
  everyResource,
);
