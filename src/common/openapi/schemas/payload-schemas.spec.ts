import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { platformNames } from '@app/mapper';
import { behaviourOf } from '@app/behaviour';
import { payloadSchemas } from './payload-schemas';
import { payloadSchemaNames } from './schema-names';

const ajv = addFormats(new Ajv2020({ strict: false }));
ajv.addSchema({ $id: 'api', components: { schemas: payloadSchemas() } });

const records = platformNames.flatMap((platform) =>
  behaviourOf(platform)
    .portfolio()
    .map(({ entityType, variant, payload }, index) => {
      const names = payloadSchemaNames(platform, entityType);
      const { name = '' } = names.find((one) => (one.variant ?? null) === variant) ?? {};
      return { platform, index, name, payload };
    }),
);

describe('the schemas of native records', () => {
  it.each(records)('$name holds for record $index of the $platform portfolio', ({ name, payload }) => {
    const validate = ajv.getSchema(`api#/components/schemas/${name}`);
    expect(validate?.(payload) === true ? [] : validate?.errors).toEqual([]);
  });

  it('refuse what a platform would not show', () => {
    const validate = ajv.getSchema('api#/components/schemas/PlatformBPayment');
    expect(validate?.({ amount: '12.00' })).toBe(false);
    expect(validate?.({ amount: null })).toBe(false);
  });
});
