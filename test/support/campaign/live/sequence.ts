import type { Fault, SimulatedRequest } from '@app/simulators';
import { fc } from '../../../../libs/mapper/src/testing/property';
import { platforms, type Platform } from '../../customers/portfolio';
import { changeable, creatable, type Changeable, type Creatable } from './records';

/** When an instance is killed: while it reads, after a write that was applied, or after a write that was lost. */
export const moments = ['reading', 'written', 'lost'] as const;
export type Moment = (typeof moments)[number];

/** An action while changes are sent. */
export type Action =
  | {
      readonly kind: 'change';
      readonly what: Changeable;
      readonly by: Platform | 'canonical';
      readonly fields: number;
    }
  | { readonly kind: 'create'; readonly what: Creatable }
  /** A user edits a record, deletes one, or locks it for a while. */
  | { readonly kind: 'edit' | 'lock'; readonly platform: Platform; readonly what: 'payment' | 'customer' }
  | { readonly kind: 'delete' | 'end tokens'; readonly platform: Platform }
  /** A record gets a new version without a new value. */
  | { readonly kind: 'touch' }
  /** The journal of platform_b is posted, so its payments disappear from the API. */
  | { readonly kind: 'post' }
  | { readonly kind: 'connect'; readonly platform: Platform }
  | { readonly kind: 'kill'; readonly platform: Platform; readonly at: Moment }
  | { readonly kind: 'rest'; readonly milliseconds: number };

/** A fault of one call to a platform's API. */
export interface Trouble {
  readonly what: string;
  readonly method: 'GET' | 'PATCH' | 'POST';
  /** The ordinal of the call among those with this method, from 1. */
  readonly nth: number;
}

export interface Sequence {
  readonly actions: readonly Action[];
  readonly troubles: Readonly<Record<Platform, readonly Trouble[]>>;
  /** Milliseconds after which platform_b shows a write; 0 when absent. */
  readonly lateBy?: number;
}

/** Actions of another user of the platforms. */
export interface Others {
  readonly platform: Platform;
  /** Edits the record that a request is for. */
  readonly edit: (request: SimulatedRequest) => void;
  /** Posts platform_b's journal. */
  readonly post: () => void;
}

type Happens = (match: Fault['match'], others: Others) => readonly Fault[];

/** The refusal of each platform. */
const refusals = {
  platform_a: { status: 422, text: '{"errors":{"base":["Not today"]}}' },
  platform_b: { status: 400, text: '{"error":{"code":"Application_DialogException","message":"Not today"}}' },
} as const;

/** Paths of calls that write a part of a record next to its header. */
const parts = { platform_a: '/line_items|/bulk_item_update', platform_b: '/salesOrderLines' } as const;

/** The faults of calls. */
export const troubles: Readonly<Record<string, Happens>> = {
  'comes late': (match) => [{ kind: 'delay', ms: 80, match }],
  'is answered late': (match) => [{ kind: 'delay', ms: 80, after: true, match }],
  'is cut before it is done': (match) => [{ kind: 'reset_before', match }],
  'is cut after it is done': (match) => [{ kind: 'reset_after', match }],
  'is answered in part': (match) => [{ kind: 'cut', match }],
  'is answered with half a body': (match) => [{ kind: 'truncate', match }],
  'is one too many': (match) => [{ kind: 'status', status: 429, match }],
  'comes to a busy platform': (match) => [
    { kind: 'status', status: 503, headers: { 'retry-after': '0' }, match },
  ],
  'is done by a busy platform': (match) => [
    { kind: 'status', status: 503, headers: { 'retry-after': '0' }, effect: true, match },
  ],
  'fails and is not done': (match) => [{ kind: 'status', status: 503, match }],
  'fails after it is done': (match) => [{ kind: 'status', status: 500, effect: true, match }],
  'is given up by a gateway after it is done': (match) => [
    { kind: 'status', status: 504, effect: true, match },
  ],
  'gets the page of a gateway': (match) => [{ kind: 'html', match }],
  'gets the page of a gateway after it is done': (match) => [
    { kind: 'html', status: 502, effect: true, match },
  ],
  'gets a page that says that all is well': (match) => [{ kind: 'html', status: 200, match }],
  'is refused': (match, { platform }) => [{ kind: 'status', ...refusals[platform], match }],
  'is for a part and is refused': (match, { platform }) => [
    { kind: 'status', ...refusals[platform], match: { ...match, path: parts[platform], nth: 1 } },
  ],
  'comes after an edit': (match, { edit }) => [{ kind: 'run', match, run: edit }],
  'comes before an edit': (match, { edit }) => [{ kind: 'run', after: true, match, run: edit }],
  'comes before an edit and is cut': (match, { edit }) => [
    { kind: 'run', after: true, match, run: edit },
    { kind: 'reset_after', match },
  ],
  'comes before the journal is posted': (match, { post }) => [{ kind: 'run', after: true, match, run: post }],
  'comes before the journal is posted and is cut': (match, { post }) => [
    { kind: 'run', after: true, match, run: post },
    { kind: 'reset_after', match },
  ],
  'has a token that is over': (match) => [{ kind: 'edit', edit: 'expire_tokens', match }],
};

const onPlatform = fc.constantFrom(...platforms);
const changes: fc.Arbitrary<Action> = fc.record({
  kind: fc.constant('change' as const),
  what: fc.constantFrom(...changeable),
  by: fc.constantFrom('canonical' as const, ...platforms),
  fields: fc.integer({ min: 1, max: 7 }),
});
const others: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      platform: onPlatform,
      what: fc.constantFrom('payment' as const, 'customer' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('lock' as const),
      platform: onPlatform,
      what: fc.constantFrom('payment' as const, 'customer' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('delete' as const, 'end tokens' as const),
      platform: onPlatform,
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'touch' } as const, { kind: 'post' } as const) },
);
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: changes },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('create' as const), what: fc.constantFrom(...creatable) }),
  },
  { weight: 4, arbitrary: others },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('connect' as const), platform: onPlatform }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('kill' as const),
      platform: onPlatform,
      at: fc.constantFrom(...moments),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('rest' as const), milliseconds: fc.constantFrom(5, 60, 200) }),
  },
);
const someTroubles = fc.array(
  fc.record({
    what: fc.constantFrom(...Object.keys(troubles)),
    method: fc.constantFrom('GET' as const, 'PATCH' as const, 'PATCH' as const, 'POST' as const),
    nth: fc.integer({ min: 1, max: 4 }),
  }),
  { maxLength: 6 },
);

/** Generates sequences of changes, faults, kills of instances, and actions of other users. */
export const sequences: fc.Arbitrary<Sequence> = fc.record({
  actions: fc.array(action, { minLength: 4, maxLength: 10 }),
  troubles: fc.record({ platform_a: someTroubles, platform_b: someTroubles }),
  lateBy: fc.constantFrom(0, 0, 0, 40),
});

const none = { platform_a: [], platform_b: [] };

/** The cases in the middle of writes with several calls, each of which must occur. */
export const halves: readonly Sequence[] = [
  ...(['PATCH', 'POST'] as const).map((method): Sequence => ({
    actions: [
      { kind: 'create', what: 'contract' },
      { kind: 'change', what: 'contract', by: 'canonical', fields: 7 },
      { kind: 'change', what: 'contract', by: 'platform_b', fields: 3 },
    ],
    troubles: { ...none, platform_a: [{ what: 'is for a part and is refused', method, nth: 1 }] },
  })),
  // A contract with one line: faults at its header and at its line, and what the service may report then.
  ...[
    { what: 'is for a part and is refused', nth: 1 },
    { what: 'is refused', nth: 1 },
    ...[1, 2].flatMap((nth) =>
      ['is cut before it is done', 'is cut after it is done', 'is answered with half a body'].map((what) => ({
        what,
        nth,
      })),
    ),
  ].map(({ what, nth }): Sequence => ({
    actions: [
      { kind: 'create', what: 'contract of a known project' },
      { kind: 'create', what: 'contract of a known project' },
    ],
    troubles: { ...none, platform_a: [{ what, method: 'POST', nth }] },
  })),
  {
    actions: [
      { kind: 'touch' },
      { kind: 'change', what: 'contract', by: 'platform_a', fields: 7 },
      { kind: 'change', what: 'contract', by: 'canonical', fields: 6 },
    ],
    troubles: { platform_a: [{ what: 'is refused', method: 'PATCH', nth: 2 }], platform_b: [] },
  },
  ...(['POST', 'PATCH', 'GET'] as const).flatMap((method) =>
    [1, 2].flatMap((nth) =>
      ['comes before the journal is posted', 'comes before the journal is posted and is cut'].map(
        (what): Sequence => ({
          actions: [
            { kind: 'create', what: 'payment' },
            { kind: 'change', what: 'payment', by: 'canonical', fields: 3 },
            { kind: 'change', what: 'other payment', by: 'platform_a', fields: 1 },
          ],
          troubles: { ...none, platform_b: [{ what, method, nth }] },
        }),
      ),
    ),
  ),
  ...[20, 200].map((lateBy): Sequence => ({
    actions: [
      { kind: 'create', what: 'payment' },
      { kind: 'create', what: 'contract' },
      { kind: 'change', what: 'customer', by: 'canonical', fields: 7 },
      { kind: 'change', what: 'customer', by: 'platform_b', fields: 3 },
      { kind: 'change', what: 'contract', by: 'canonical', fields: 7 },
      { kind: 'edit', platform: 'platform_b', what: 'customer' },
      { kind: 'change', what: 'customer', by: 'canonical', fields: 7 },
    ],
    troubles: { ...none, platform_b: [{ what: 'is cut after it is done', method: 'PATCH', nth: 2 }] },
    lateBy,
  })),
];
