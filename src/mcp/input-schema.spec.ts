import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJsonText } from '@app/mapper';
import { inputSchemaOf, withArguments } from './input-schema';

const document = parseJsonText(readFileSync(join(__dirname, '../../docs/openapi.json'), 'utf8'));
if (!isJsonObject(document)) throw new Error('The description is no object');

describe('inputSchemaOf', () => {
  it('has parameters of path and query, without headers', () => {
    const schema = inputSchemaOf(document, 'getObject');
    expect(schema).toMatchObject({ type: 'object', required: ['canonical_id'], additionalProperties: false });
    expect(Object.keys(schema.properties ?? {})).toEqual(['canonical_id', 'as_of']);
  });

  it('leaves out what the tool does not take', () => {
    const schema = inputSchemaOf(document, 'listObjects', ['head', 'entity_type']);
    expect(schema.required).toEqual([]);
    expect(schema.properties).not.toHaveProperty('head');
  });

  it('joins the forms of a body, and follows references', () => {
    const schema = inputSchemaOf(document, 'propagateChange', ['dry_run']);
    expect(schema.required).toEqual(['entity_type', 'data', 'format']);
    expect(schema.properties).toMatchObject({ format: { enum: ['canonical', 'platform'] } });
    expect(schema.properties).toHaveProperty('platform_id');
    expect(JSON.stringify(schema)).not.toContain('$ref');
  });

  it('gives each schema one type', () => {
    const schema = inputSchemaOf(document, 'transformRecord');
    expect(JSON.stringify(document)).toContain('"type":["array","null"]');
    expect(JSON.stringify(schema)).not.toContain('"type":[');
    expect(schema.properties).toMatchObject({
      context: { allOf: [{ properties: { report: { anyOf: [{ type: 'boolean' }, { type: 'null' }] } } }] },
    });
  });

  it('takes further arguments', () => {
    const schema = withArguments(inputSchemaOf(document, 'decideMatch'), { key: { type: 'string' } }, [
      'key',
    ]);
    expect(schema.properties).toMatchObject({ key: { type: 'string' } });
    expect(schema.required).toContain('key');
    expect(schema.required).toContain('records');
  });

  it('refuses an operation that there is not', () => {
    expect(() => inputSchemaOf(document, 'dropTables')).toThrow(/dropTables/);
  });
});
