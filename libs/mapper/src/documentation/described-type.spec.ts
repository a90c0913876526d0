import { entityTypes } from '../canonical/entity-type';
import { fieldsOf } from '../canonical/types';
import { defaultTerms } from '../canonical-object/terms';
import { mappingOf } from '../platforms';
import { describeType, type DescribedAccess, type DescriptionContext } from './described-type';

const live: DescriptionContext = { precedence: {}, sandboxes: new Set() };
const sandbox: DescriptionContext = { ...live, sandboxes: new Set(['platform_a', 'platform_b']) };

function accessTo(
  entityType: (typeof entityTypes)[number],
  field: string,
  context = live,
): readonly DescribedAccess[] {
  return describeType(entityType, context).fields.find(({ name }) => name === field)?.on ?? [];
}

describe.each(entityTypes)('the description of %s', (entityType) => {
  const described = describeType(entityType, { ...defaultTerms, ...live });

  it('has every canonical field, in the order of the type', () => {
    expect(described.fields.map(({ name }) => name)).toEqual(Object.keys(fieldsOf(entityType)));
  });

  it('has each field wherever a mapping has it, with the native paths of the mapping', () => {
    for (const { name, on } of described.fields) {
      for (const { platform, variant } of described.resources) {
        const mapping = mappingOf(platform, entityType, { variant });
        const access = on.find((one) => one.platform === platform && one.variant === variant);
        expect(access?.paths.map(({ path }) => path)).toEqual(mapping.descriptionOf(name)?.paths);
      }
    }
  });

  it('says what may be written as the mapping does, and why where it may not', () => {
    for (const { name, on } of described.fields) {
      for (const { platform, variant, when_creating, when_changing, why } of on) {
        const access = mappingOf(platform, entityType, { variant }).accessTo(name);
        const isWhole = access === 'write' && when_creating && when_changing;
        expect([name, platform, why === null]).toEqual([name, platform, isWhole]);
        expect(why).not.toBe('');
        if (access === 'read') expect([when_creating, when_changing]).toEqual([false, false]);
        if (access === 'create') expect(when_creating).toBe(true);
      }
    }
  });
});

describe('a described field', () => {
  it('says why a platform does not take it', () => {
    expect(accessTo('payment', 'created_at')).toMatchObject([
      { platform: 'platform_a', when_creating: false, why: 'is set by the platform with each write' },
    ]);
    expect(accessTo('contract', 'kind')).toMatchObject([
      { variant: 'WorkOrderContract', paths: [], why: 'is work_order for every record of the resource' },
      { variant: 'PurchaseOrderContract', why: 'is purchase_order for every record of the resource' },
    ]);
    expect(accessTo('contract', 'lines')[0]?.why).toBe('holds lines, which are changed on their platform');
    expect(accessTo('contract', 'amount')[0]).toMatchObject({
      when_creating: true,
      when_changing: true,
      why: expect.stringContaining('the only line'),
    });
  });

  it('is described for the sandbox where the records are in one', () => {
    const [ofLive] = accessTo('project', 'actual_start_date');
    const [ofSandbox] = accessTo('project', 'actual_start_date', sandbox);
    expect(ofLive).toMatchObject({ when_creating: true, when_changing: false });
    expect(ofSandbox).toMatchObject({ when_creating: true, when_changing: true, why: null });
  });

  it('counts in the order agreed with the customer', () => {
    const payment = describeType('payment', {
      ...live,
      precedence: { payment: { date: ['platform_b', 'platform_a'] } },
    });
    const counts = new Map(payment.fields.map(({ name, counts }) => [name, counts]));
    expect(counts.get('date')).toEqual(['platform_b', 'platform_a']);
    expect(counts.get('amount')).toEqual(['platform_a', 'platform_b']);
    expect(counts.get('created_at')).toBeNull();
  });

  it('can be null unless it is indispensable, or one of a set of words', () => {
    const payment = describeType('payment', live);
    const canBeNull = Object.fromEntries(payment.fields.map((field) => [field.name, field.can_be_null]));
    expect(canBeNull).toMatchObject({ amount: false, status: false, notes: true });
  });

  it('has its type, format and unit', () => {
    const { fields } = describeType('time_entry', live);
    const shown = Object.fromEntries(
      fields.map(({ name, type, format, unit }) => [name, [type, format, unit]]),
    );
    expect(shown).toMatchObject({
      date: ['date', 'date', null],
      hours: ['decimal', null, 'hours'],
      break_minutes: ['integer', 'int64', 'minutes'],
      project_id: ['reference', null, null],
    });
    const { fields: contract } = describeType('contract', live);
    expect(contract.find(({ name }) => name === 'amount')).toMatchObject({
      type: 'money',
      unit: 'minor_units',
    });
  });
});
