import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentExample, settingsRows } from '../../src/runtime/config/settings-documents';
import { readEnvironment } from '../../src/runtime/config/environment';
import { metricsRows } from '../../src/runtime/metrics/metrics-documents';
import { usedMetrics } from '../deploy/known-metrics';
import { root, rowsOf, sectionOf, textOf, withRows } from './markdown';

/** Set: the tests write the documents instead of comparing them. */
const updates = process.env['UPDATE_DOCS'] === '1';

/** Compares the table in a section of a document with what the code prints, or writes it there. */
function expectTable(document: string, heading: string, rows: readonly (readonly string[])[]): void {
  if (updates) writeFileSync(join(root, document), withRows(textOf(document), heading, rows));
  expect(rowsOf(sectionOf(textOf(document), heading))).toEqual(rows);
}

describe('the output of the code in the documents', () => {
  it('is the table of settings', () => {
    expectTable('docs/settings.md', 'Variables', settingsRows());
  });

  it('is the table of metrics on the page about operations', () => {
    expectTable('docs/operations.md', 'Metrics', metricsRows(usedMetrics().registry));
  });

  it('is .env.example', () => {
    const path = join(root, '.env.example');
    if (updates) writeFileSync(path, environmentExample());
    expect(readFileSync(path, 'utf8')).toBe(environmentExample());
  });

  it('is .env.example, whose lines set the defaults when they are used as they are', () => {
    const shown = [...environmentExample().matchAll(/^#([A-Z_]+)=(.*)$/gm)];
    expect(shown.length).toBeGreaterThan(5);
    const variables = Object.fromEntries(shown.map(([, name = '', value = '']) => [name, value]));
    expect(readEnvironment(variables)).toEqual(readEnvironment({}));
  });
});
