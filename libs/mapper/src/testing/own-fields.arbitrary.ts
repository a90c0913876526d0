import type { EntityType } from '../canonical/entity-type';
import { ownCodecNames, OwnFields, type OwnCodec, type OwnFieldDefinition } from '../canonical/own-fields';
import { mappingOf } from '../platforms';
import type { NamedMapping } from './all-mappings';
import { fc } from './property';

const words = fc
  .uniqueArray(
    fc.stringMatching(/^[a-z]{1,8}$/).filter((word) => word !== 'unknown'),
    { minLength: 1, maxLength: 4 },
  )
  .map((one_of): OwnCodec => ({ one_of }));

const codec: fc.Arbitrary<OwnCodec> = fc.oneof(fc.constantFrom<OwnCodec>(...ownCodecNames), words);

/** Where each platform has the field of a number: custom fields, columns, and members further in. */
function placesOf(number: number): fc.Arbitrary<OwnFieldDefinition['platforms']> {
  const onA = fc.constantFrom(`custom_fields.custom_field_${number}`, `own_${number}`, `own.inner_${number}`);
  const onB = fc.constantFrom(`ownColumn${number}`, `own.inner${number}`);
  const place = (path: fc.Arbitrary<string>) => fc.record({ path, writable: fc.boolean() });
  return fc.record({ platform_a: place(onA), platform_b: place(onB) }, { requiredKeys: [] });
}

/** One own field or several of a type, anywhere on each platform that has them. */
export function ownFieldsOf(entityType: EntityType): fc.Arbitrary<OwnFields> {
  return fc
    .array(codec, { minLength: 1, maxLength: 6 })
    .chain((codecs) =>
      fc.tuple(
        ...codecs.map((one, number) =>
          placesOf(number).map((platforms): OwnFieldDefinition => ({
            entityType,
            name: `own_${number}`,
            codec: one,
            platforms,
          })),
        ),
      ),
    )
    .map((definitions) => new OwnFields(definitions));
}

/** A mapping with own fields. */
export function withOwn(named: NamedMapping, own: OwnFields): NamedMapping {
  const { platform, entityType, variant } = named;
  return { ...named, mapping: mappingOf(platform, entityType, { variant, own }) };
}
