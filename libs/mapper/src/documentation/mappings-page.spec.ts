import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entityTypes } from '../canonical/entity-type';
import { fieldsOf } from '../canonical/types';
import { mappingsPage } from './mappings-page';

const path = join(__dirname, '../../../../docs/mappings.md');

describe('docs/mappings.md', () => {
  it('is what the mappings print (UPDATE_DOCS=1 writes it anew)', () => {
    const page = mappingsPage();
    if (process.env.UPDATE_DOCS === '1') writeFileSync(path, page);
    expect(readFileSync(path, 'utf8')).toBe(page);
  });

  it('shows every type and every field', () => {
    const page = mappingsPage();
    for (const entityType of entityTypes) {
      expect(page).toContain(`\n## ${entityType}\n`);
      for (const field of Object.keys(fieldsOf(entityType))) expect(page).toContain(`| \`${field}\``);
    }
  });
});
