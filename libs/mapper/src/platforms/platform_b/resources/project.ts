import { fields } from '../../../resource/native-field';
import { lastModified, ownId, page } from './common';

/** Jobs. The page shows four of their fields. */
export const projects = page({
  name: 'projects',
  requiredToCreate: ['number', 'displayName'],
  fields: [ownId, fields('code', 'number'), fields('text', 'displayName'), lastModified],
});
