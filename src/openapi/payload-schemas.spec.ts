import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { platformNames } from '@app/mapper';
import { sandboxPlatforms } from '../sandbox/sandbox-data';
import { payloadSchemas } from './payload-schemas';
import { payloadSchemaNames } from './schema-names';

const ajv = addFormats(new Ajv2020({ strict: false }));
ajv.addSchema({ $id: 'api', components: { schemas: payloadSchemas() } });

const files = platformNames.flatMap((platform) =>
  sandboxPlatforms[platform].files.map(({ file, entityType, variant }) => {
    const names = payloadSchemaNames(platform, entityType);
    const { name = '' } = names.find((one) => (one.variant ?? null) === variant) ?? {};
    return { platform, file, name };
  }),
);

describe('the schemas of native records', () => {
  it.each(files)('$name holds for every record of $platform in $file', ({ platform, file, name }) => {
    const path = join(__dirname, '../sandbox/data', platform, file);
    const records = JSON.parse(readFileSync(path, 'utf8')) as unknown[];
    const validate = ajv.getSchema(`api#/components/schemas/${name}`);
    expect(records.length).toBeGreaterThan(0);
    const problems = records.map((record) => (validate?.(record) === true ? [] : validate?.errors));
    expect(problems).toEqual(records.map(() => []));
  });

  it('refuse what a platform would not show', () => {
    const validate = ajv.getSchema('api#/components/schemas/PlatformBPayment');
    expect(validate?.({ amount: '12.00' })).toBe(false);
    expect(validate?.({ amount: null })).toBe(false);
  });
});
