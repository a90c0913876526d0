import { OwnFields, type OwnCodec, type OwnFieldDefinition } from '../canonical/own-fields';
import type { EntityType } from '../canonical/entity-type';
import { inUsd } from '../testing/canonical.arbitrary';
import { nativePathOf, mappingWith, takenPaths } from './own-mapping';
import { ownFields as customFields } from './platform_a/own-fields';
import { mappingOf, platformOf, type PlatformName } from './registry';

const codecs: Readonly<Record<string, OwnCodec>> = {
  text: 'text',
  decimal: 'decimal',
  money: 'money',
  date: 'date',
  boolean: 'boolean',
  word: { one_of: ['red', 'blue'] },
};

function ownOf(entityType: EntityType, paths: Readonly<Record<string, string>>): OwnFields {
  return new OwnFields(
    Object.entries(paths).map(([name, path]): OwnFieldDefinition => {
      const place = { path, writable: true };
      return {
        ...{ entityType, name, codec: codecs[name] ?? 'text' },
        platforms: { platform_a: place, platform_b: place },
      };
    }),
  );
}

const everyCodec = ownOf(
  'payment',
  Object.fromEntries(Object.keys(codecs).map((name) => [name, `own_${name}`])),
);

function fieldAt(platform: PlatformName, entityType: EntityType, path: string) {
  const { resource } = mappingOf(platform, entityType, { own: ownOf(entityType, { text: path }) });
  return resource.fields.get(path);
}

describe('the native field of an own field', () => {
  it('holds what its codec says', () => {
    const { fields } = mappingOf('platform_b', 'payment', { own: everyCodec }).resource;
    expect(Object.keys(codecs).map((name) => fields.get(`own_${name}`)?.kind)).toEqual([
      'text',
      'decimal',
      'decimal',
      'date',
      'boolean',
      'word',
    ]);
  });

  it('is written where its platform takes it, and anywhere in a sandbox', () => {
    const member = { kind: 'member', name: 'costCenter' } as const;
    expect(fieldAt('platform_b', 'payment', 'costCenter')).toMatchObject({
      creating: member,
      changing: member,
    });
    const { creating, changing, why } = fieldAt('platform_a', 'payment', 'made_up') ?? {};
    expect([creating, changing]).toEqual([undefined, { kind: 'sandbox' }]);
    expect(why).toContain('no custom field');
  });

  it('inside a read-only field is read-only for the same reason', () => {
    expect(fieldAt('platform_a', 'contract', 'created_by_id.login')).toMatchObject({
      path: ['created_by_id', 'login'],
      why: 'is the user who created it',
    });
    expect(fieldAt('platform_a', 'contract', 'created_by_id.login')?.changing).toBeUndefined();
  });

  it('is a plain member where the platform says nothing of own fields', () => {
    const { blank, mappings } = platformOf('platform_a');
    const plain = { blank, mappings };
    const own = ownOf('payment', { text: 'custom_fields.custom_field_7' });
    const mapping = mappingWith(own, 'platform_a', plain, mappingOf('platform_a', 'payment'));
    const member = { kind: 'member', name: 'custom_fields.custom_field_7' } as const;
    expect(mapping.resource.fields.get(member.name)).toMatchObject({ creating: member, changing: member });
    expect(nativePathOf(plain, { path: 'a.b', writable: true })).toEqual(['a', 'b']);
  });
});

describe('the value of an own field', () => {
  const data = {
    'custom.text': 'x',
    'custom.decimal': '7.5',
    'custom.money': { amount: 1250, currency: 'USD' },
    'custom.date': '2026-02-01',
    'custom.boolean': true,
    'custom.word': 'blue',
  };
  const native = {
    ...{ own_text: 'x', own_decimal: 7.5, own_money: 12.5, own_date: '2026-02-01' },
    ...{ own_boolean: true, own_word: 'blue' },
  };

  it.each(['platform_a', 'platform_b'] as const)('is read and written in the forms of %s', (platform) => {
    const mapping = mappingOf(platform, 'payment', { own: everyCodec });
    expect(mapping.decode(native, inUsd)).toMatchObject({ data, issues: [] });
    const written = mapping.encode(data, inUsd);
    expect(written).toMatchObject({ payload: native, issues: [] });
  });

  it('may be a number as text on the platform that writes its own numbers so', () => {
    const texts = { own_decimal: '7.5', own_money: '12.50' };
    const read = (platform: PlatformName) =>
      mappingOf(platform, 'payment', { own: everyCodec }).decode(texts, inUsd);
    const { 'custom.decimal': decimal, 'custom.money': money } = data;
    expect(read('platform_a')).toMatchObject({
      data: { 'custom.decimal': decimal, 'custom.money': money },
      issues: [],
    });
    expect(read('platform_b').issues.map(({ path }) => path)).toEqual(['own_decimal', 'own_money']);
  });
});

describe('the paths that a mapping reads', () => {
  it('are those of its fields, its ID, its currency and its lines', () => {
    const taken = takenPaths(mappingOf('platform_b', 'invoice')).map(([what, path]) => [
      what,
      path.join('.'),
    ]);
    expect(taken).toEqual(
      expect.arrayContaining([
        ['number', 'externalDocumentNumber'],
        ['the native ID', 'id'],
        ['the currency', 'currencyCode'],
        ['the lines', 'salesInvoiceLines'],
      ]),
    );
    const project = takenPaths(mappingOf('platform_b', 'project')).map(([what]) => what);
    expect(project).toContain('the native ID');
    expect(project).not.toContain('the currency');
    expect(project).not.toContain('the lines');
  });
});

describe('a custom field of platform_a', () => {
  const path = (text: string) => text.split('.');

  it('has its value in a member of it', () => {
    const paths = [
      'custom_fields.custom_field_7',
      'custom_fields.custom_field_7.value',
      'custom_fields.custom_field_x',
      'others.custom_field_7',
      'custom_fields',
      'a.b',
    ];
    expect(paths.map((text) => customFields.pathOf(path(text)).join('.'))).toEqual([
      'custom_fields.custom_field_7.value',
      ...paths.slice(1),
    ]);
  });

  it('is written by its own name, into records that have custom fields', () => {
    const changing = { kind: 'member', name: 'custom_field_7' } as const;
    const value = path('custom_fields.custom_field_7.value');
    expect(customFields.placesOf(value, 'contract')).toEqual({ creating: changing, changing });
    expect(customFields.placesOf(value, 'project')).toEqual({
      changing,
      why: 'is taken for an existing project only',
    });
    const none = { why: 'is no custom field of the record, and the API takes no other undocumented field' };
    expect(customFields.placesOf(value, 'payment')).toEqual(none);
    const others = ['custom_field_7.value', 'custom_fields.custom_field_7.label', 'custom_fields.x.value'];
    for (const other of [...others, 'others.custom_field_7.value', `${value.join('.')}.inner`])
      expect(customFields.placesOf(path(other), 'contract')).toEqual(none);
  });
});
