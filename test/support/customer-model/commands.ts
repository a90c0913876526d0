import { fc } from '../../../libs/mapper/src/testing/property';
import type { Platform } from '../portfolio';

/** What one of several clients does. Numbers choose among what there is then. */
export type Command = { readonly client: number } & (
  | { readonly do: 'connect'; readonly platform: Platform; readonly keyed: boolean }
  /** A reading of all that the platform has, after which what is gone is gone. */
  | { readonly do: 'read'; readonly platform: Platform }
  | ({ readonly do: 'change'; readonly keyed: boolean; readonly twice: boolean } & Wish)
  /** Several clients who know the same version. */
  | { readonly do: 'race'; readonly pick: number; readonly writers: number }
  | {
      readonly do: 'decide';
      readonly decision: 'link' | 'not_same';
      readonly pick: readonly [number, number];
      readonly keyed: boolean;
      readonly isDry: boolean;
    }
  | { readonly do: 'withdraw'; readonly pick: number; readonly isDry: boolean }
  | { readonly do: 'statement' }
  | { readonly do: 'cases'; readonly limit: number }
  | { readonly do: 'pages'; readonly platform: Platform; readonly limit: number }
  | { readonly do: 'look'; readonly pick: number }
  | { readonly do: 'rate'; readonly rate: string }
  | { readonly do: 'precedence'; readonly platforms: readonly Platform[] }
);

/** A change of an object, in one of its forms. */
export interface Wish {
  readonly pick: number;
  readonly by: 'canonical' | 'native';
  readonly field: 'text' | 'amount' | 'key';
  readonly cents: number;
  readonly match: 'none' | 'any' | 'current' | 'stale';
  readonly isDry: boolean;
}

/** What somebody does on a platform itself. It shows with a later reading. */
export interface Edit {
  readonly platform: Platform;
  readonly pick: number;
  readonly what: 'text' | 'amount' | 'twin' | 'remove' | 'return';
}

/** What happens at once, after what was done on the platforms before; then one change that is looked at closely. */
export interface Round {
  readonly edits: readonly Edit[];
  readonly commands: readonly Command[];
  readonly calm: Wish;
}

const platform = fc.constantFrom<Platform[]>('platform_a', 'platform_b');
const client = fc.nat(1);
const seldom = fc.integer({ min: 0, max: 4 }).map((place) => place === 0);

const wish = {
  pick: fc.nat(200),
  by: fc.constantFrom('canonical' as const, 'native' as const),
  field: fc.constantFrom('text' as const, 'text' as const, 'amount' as const, 'key' as const),
  cents: fc.oneof(fc.integer({ min: 100, max: 20_000 }), fc.constant(900_000_000)),
  match: fc.constantFrom(
    'none' as const,
    'none' as const,
    'any' as const,
    'current' as const,
    'stale' as const,
  ),
  isDry: seldom,
};

function kind<Name extends Command['do']>(name: Name): fc.Arbitrary<Name> {
  return fc.constant(name);
}

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ client, do: kind('change'), keyed: fc.boolean(), twice: fc.boolean(), ...wish }),
  },
  { weight: 3, arbitrary: fc.record({ client, do: kind('connect'), platform, keyed: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ client, do: kind('read'), platform }) },
  {
    weight: 2,
    arbitrary: fc.record({
      client,
      do: kind('race'),
      pick: fc.nat(200),
      writers: fc.integer({ min: 2, max: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      client,
      do: kind('decide'),
      decision: fc.constantFrom('link' as const, 'not_same' as const),
      pick: fc.tuple(fc.nat(200), fc.nat(200)),
      keyed: fc.boolean(),
      isDry: seldom,
    }),
  },
  { weight: 2, arbitrary: fc.record({ client, do: kind('withdraw'), pick: fc.nat(20), isDry: seldom }) },
  { weight: 2, arbitrary: fc.record({ client, do: kind('statement') }) },
  { weight: 1, arbitrary: fc.record({ client, do: kind('cases'), limit: fc.integer({ min: 3, max: 40 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ client, do: kind('pages'), platform, limit: fc.integer({ min: 1, max: 5 }) }),
  },
  { weight: 2, arbitrary: fc.record({ client, do: kind('look'), pick: fc.nat(200) }) },
  {
    weight: 1,
    arbitrary: fc.record({ client, do: kind('rate'), rate: fc.constantFrom('3.64', '3.65', '4') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      client,
      do: kind('precedence'),
      platforms: fc.constantFrom<Platform[][]>(['platform_a', 'platform_b'], ['platform_b', 'platform_a']),
    }),
  },
);

const edit: fc.Arbitrary<Edit> = fc.record({
  platform,
  pick: fc.nat(200),
  what: fc.constantFrom(
    'text' as const,
    'amount' as const,
    'twin' as const,
    'remove' as const,
    'return' as const,
  ),
});

/** What happens to a customer, round after round. */
export const rounds: fc.Arbitrary<readonly Round[]> = fc.array(
  fc.record({
    edits: fc.array(edit, { maxLength: 3 }),
    commands: fc.array(command, { minLength: 2, maxLength: 6 }),
    calm: fc.record(wish),
  }),
  { minLength: 2, maxLength: 4 },
);
