import type { EntityType } from '../../canonical/entity-type';
import type { JsonPath } from '../../json/json-path';
import type { OwnFieldPlaces } from '../platform';

const customField = /^custom_field_\d+$/;

/** Types whose records have custom fields. */
const customised: readonly EntityType[] = ['project', 'contract', 'invoice', 'change_order'];

/**
 * A record shows a company's custom field as `custom_fields.custom_field_<id>.value`; a write names it
 * `custom_field_<id>`. The API documents all other fields that it accepts.
 */
export const ownFields: OwnFieldPlaces = {
  pathOf: (path) => (path.length === 2 && customFieldIn(path) !== undefined ? [...path, 'value'] : path),
  placesOf: (path, entityType) => {
    const name = path.length === 3 && path[2] === 'value' ? customFieldIn(path) : undefined;
    if (name === undefined || !customised.includes(entityType)) {
      return { why: 'is no custom field of the record, and the API takes no other undocumented field' };
    }
    const changing = { kind: 'member', name } as const;
    return entityType === 'project'
      ? { changing, why: 'is taken for an existing project only' }
      : { creating: changing, changing };
  },
};

function customFieldIn([first, name]: JsonPath): string | undefined {
  return first === 'custom_fields' && name !== undefined && customField.test(name) ? name : undefined;
}
