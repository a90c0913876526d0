import { fc } from '../../../libs/mapper/src/testing/property';
import type { Platform } from '../customers/portfolio';

/** The number of clients of a customer. Half of them call one instance, half the other. */
export const CLIENTS = 8;

/** An action of a client. Numbers select among the objects that exist at that time. */
type ClientAction =
  | { readonly do: 'connect'; readonly platform: Platform; readonly keyed: boolean }
  /** Reads everything on the platform; afterwards missing records count as deleted. */
  | { readonly do: 'read'; readonly platform: Platform }
  | ({ readonly do: 'change'; readonly keyed: boolean; readonly twice: boolean } & WantedChange)
  /** Several clients write with the same version. */
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
  | { readonly do: 'history'; readonly pick: number }
  | { readonly do: 'outcome'; readonly pick: number }
  /** Reads the next page of the feed of the client, at either instance. */
  | { readonly do: 'events'; readonly instance: number }
  | { readonly do: 'sign'; readonly scope: SignedScope; readonly keyed: boolean }
  /** Reviews a sign-off that a client has prepared; sometimes the reviewer is the preparer. */
  | { readonly do: 'review'; readonly pick: number; readonly isOwn: boolean }
  | { readonly do: 'unsign'; readonly pick: number }
  | { readonly do: 'signoffs' }
  | { readonly do: 'define'; readonly type: OwnType; readonly place: number }
  | { readonly do: 'undefine'; readonly type: OwnType }
  | { readonly do: 'rate'; readonly rate: string }
  | { readonly do: 'precedence'; readonly platforms: readonly Platform[] };

/** An action of one of the clients. */
export type Command = ClientAction & { readonly client: number };

/** The types of a statement that is signed: all (empty), or one. */
export type SignedScope = '' | 'payment' | 'invoice';

/** A type for which the customer defines an own field. */
export type OwnType = 'payment' | 'invoice';

/** A change of an object, in one of its forms. */
export interface WantedChange {
  readonly pick: number;
  readonly by: 'canonical' | 'native';
  readonly field: 'text' | 'amount' | 'key' | 'own';
  readonly cents: number;
  readonly match: 'none' | 'any' | 'current' | 'stale';
  readonly isDry: boolean;
}

/** What a user does on the platform. The service learns of it with a later run. */
export interface Edit {
  readonly platform: Platform;
  readonly pick: number;
  readonly what: 'text' | 'amount' | 'own' | 'twin' | 'remove' | 'return';
}

/**
 * One round: edits on the platforms, then commands of all clients at once, each client with one command after the
 * other, and then one change that is checked in detail.
 */
export interface Round {
  readonly edits: readonly Edit[];
  readonly programs: readonly (readonly Command[])[];
  readonly calm: WantedChange;
}

const platform = fc.constantFrom<Platform[]>('platform_a', 'platform_b');
const seldom = fc.integer({ min: 0, max: 4 }).map((place) => place === 0);

const wish = {
  pick: fc.nat(200),
  by: fc.constantFrom('canonical' as const, 'native' as const),
  field: fc.constantFrom('text' as const, 'text' as const, 'amount' as const, 'key' as const, 'own' as const),
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

const type = fc.constantFrom<OwnType[]>('payment', 'invoice');
const pick = fc.nat(200);

/** Actions that cannot restore an earlier state, unlike a run, which may. */
const others: readonly fc.WeightedArbitrary<ClientAction>[] = [
  {
    weight: 24,
    arbitrary: fc.record({ do: kind('change'), keyed: fc.boolean(), twice: seldom, ...wish }),
  },
  { weight: 3, arbitrary: fc.record({ do: kind('race'), pick, writers: fc.integer({ min: 2, max: 4 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: kind('decide'),
      decision: fc.constantFrom('link' as const, 'not_same' as const),
      pick: fc.tuple(pick, pick),
      keyed: fc.boolean(),
      isDry: seldom,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: kind('withdraw'), pick, isDry: seldom }) },
  { weight: 1, arbitrary: fc.record({ do: kind('statement') }) },
  { weight: 1, arbitrary: fc.record({ do: kind('cases'), limit: fc.integer({ min: 10, max: 40 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: kind('pages'), platform, limit: fc.integer({ min: 2, max: 5 }) }),
  },
  { weight: 20, arbitrary: fc.record({ do: kind('look'), pick }) },
  { weight: 2, arbitrary: fc.record({ do: kind('history'), pick }) },
  { weight: 8, arbitrary: fc.record({ do: kind('outcome'), pick }) },
  { weight: 16, arbitrary: fc.record({ do: kind('events'), instance: fc.nat(1) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: kind('sign'),
      scope: fc.constantFrom<SignedScope[]>('', 'payment', 'invoice'),
      keyed: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: kind('review'), pick, isOwn: seldom }) },
  { weight: 1, arbitrary: fc.record({ do: kind('unsign'), pick }) },
  { weight: 1, arbitrary: fc.record({ do: kind('signoffs') }) },
  { weight: 1, arbitrary: fc.record({ do: kind('define'), type, place: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ do: kind('undefine'), type }) },
  { weight: 1, arbitrary: fc.record({ do: kind('rate'), rate: fc.constantFrom('3.64', '3.65', '4') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: kind('precedence'),
      platforms: fc.constantFrom<Platform[][]>(['platform_a', 'platform_b'], ['platform_b', 'platform_a']),
    }),
  },
];

const readings: readonly fc.WeightedArbitrary<ClientAction>[] = [
  { weight: 1, arbitrary: fc.record({ do: kind('connect'), platform, keyed: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: kind('read'), platform }) },
];

const edit: fc.Arbitrary<Edit> = fc.record({
  platform,
  pick: fc.nat(200),
  what: fc.constantFrom(
    'text' as const,
    'amount' as const,
    'own' as const,
    'twin' as const,
    'remove' as const,
    'return' as const,
  ),
});

/** The amount of work of a customer. */
export interface Extent {
  readonly rounds: { readonly min: number; readonly max: number };
  /** The number of commands of each client in a round. */
  readonly commands: { readonly min: number; readonly max: number };
}

/** Generates the rounds of a customer. Platforms are read in about every second round. */
export function roundsOf({ rounds, commands }: Extent): fc.Arbitrary<readonly Round[]> {
  const programsOf = (deeds: readonly fc.WeightedArbitrary<ClientAction>[]) =>
    fc
      .array(
        fc.array(fc.oneof(...deeds), { minLength: commands.min, maxLength: commands.max, size: 'max' }),
        {
          minLength: CLIENTS,
          maxLength: CLIENTS,
        },
      )
      .map((programs) =>
        programs.map((program, client) => program.map((deed): Command => ({ ...deed, client }))),
      );
  return fc.array(
    fc.record({
      edits: fc.array(edit, { maxLength: 3 }),
      programs: fc.oneof(programsOf(others), programsOf([...readings, ...others])),
      calm: fc.record(wish),
    }),
    { minLength: rounds.min, maxLength: rounds.max, size: 'max' },
  );
}
