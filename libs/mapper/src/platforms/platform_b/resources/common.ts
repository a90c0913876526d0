import { fields, never } from '../../../resource/native-field';
import { NativeResource, type ResourceDescription } from '../../../resource/native-resource';

/** A page of the API: an entity set. The protocol adds annotations to its records; their names hold a point. */
export function page(description: Omit<ResourceDescription, 'annotations'>): NativeResource {
  return new NativeResource({
    ...description,
    annotations: { prefix: '@odata.', names: ['@odata.etag', '@odata.context'] },
  });
}

export const ownId = never('is given by the platform', fields('guid', 'id'));
export const lastModified = never(
  'is set by the platform with each write',
  fields('time', 'lastModifiedDateTime'),
);
export const COMPUTED = 'is computed by the platform';
