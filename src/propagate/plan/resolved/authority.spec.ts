import { defaultTerms, type PlatformName, type Precedence } from '@app/mapper';
import { authorityOn, leadingPlatform, whyUnwritable } from './authority';
import { copyState } from '../state/copy-state';

const context = {
  platformId: '1',
  variant: null,
  payload: {},
  known: {},
  payloadText: '{}',
  accepted: null,
  inheritedCurrency: 'USD',
  localCurrency: 'QAR',
  references: {},
};
const copies = (['platform_a', 'platform_b'] as const).map((platform) =>
  copyState({ ...context, platform }, 'invoice'),
);

function scene(precedence: Precedence = {}, origin?: PlatformName) {
  return {
    entityType: 'invoice' as const,
    copies,
    terms: { ...defaultTerms, precedence },
    origin: copies.find(({ platform }) => platform === origin),
  };
}

const agreed: Precedence = {
  invoice: { amount: ['platform_b'], due_date: ['platform_a'], final: ['platform_b'] },
};

describe('the platform whose value counts', () => {
  it('is the first that has the field, in the order that holds for it', () => {
    expect(authorityOn('amount', scene())?.platform).toBe('platform_a');
    expect(authorityOn('posting_date', scene())?.platform).toBe('platform_b');
    expect(authorityOn('amount', scene(agreed))?.platform).toBe('platform_b');
    // platform_b has no such field, whatever precedence was agreed.
    expect(authorityOn('final', scene(agreed))?.platform).toBe('platform_a');
  });

  it('has to let the field be written', () => {
    const why = (precedence: Precedence) => whyUnwritable(scene(precedence), 'status');
    expect(why({})).toBeUndefined();
    expect(why({ invoice: { status: ['platform_b'] } })).toBe('platform_b lets nobody write it');
  });

  it('has to let the field be written after the creation of the record', () => {
    const project = { ...scene(), entityType: 'project' as const };
    const onA = copyState({ ...context, platform: 'platform_a' }, 'project');
    expect(whyUnwritable({ ...project, copies: [onA] }, 'currency')).toBe(
      'platform_a fixes it when the record is created',
    );
  });

  it('is any that lets the field be written, where no record has the field', () => {
    const why = (field: string) => whyUnwritable({ ...scene(), copies: [] }, field);
    expect(why('amount')).toBeUndefined();
    expect(why('updated_at')).toBe('no platform takes a value for it');
    expect(why('nothing_of_the_kind')).toBe('no platform takes a value for it');
  });
});

describe('the platform that is written first', () => {
  it('is the platform that a change in native form is made for', () => {
    expect(leadingPlatform(scene(agreed, 'platform_a'), ['amount'])).toBe('platform_a');
  });

  it('is the platform that was agreed on, for an amount before any other field', () => {
    expect(leadingPlatform(scene(agreed), ['due_date'])).toBe('platform_a');
    expect(leadingPlatform(scene(agreed), ['due_date', 'amount'])).toBe('platform_b');
  });

  it('is that of the default order where nothing was agreed for the fields', () => {
    expect(leadingPlatform(scene(agreed), ['period_end'])).toBeUndefined();
    expect(leadingPlatform(scene(), ['amount'])).toBeUndefined();
  });
});
