import { createHmac, timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '@app/mapper';
import { invalidInput, type ApiError } from '../common/errors/api-error';
import { digestOf } from '../common/idempotency/digest';

/** Seconds for which a proposal can be applied. */
export const PROPOSAL_LIFE = 3_600;

/** What was proposed: the tool and its arguments. */
export interface Proposed {
  /** The name of the tool that applies it. */
  readonly tool: string;
  readonly given: JsonObject;
}

/** What the dry run has shown. Each is empty if the tool has none. */
export interface Shown {
  /** The version of the object. */
  readonly version: string;
  /** The digest of what would be written to each platform. */
  readonly effects: string;
}

/** The customer and the key that propose. */
export interface Proposer {
  readonly customerId: string;
  /** SHA-256 of the API key. Agents do not know it, so they cannot make a token themselves. */
  readonly keyHash: string;
}

const form = /^p2\.([0-9a-z]{1,10})\.([\w-]{0,64})\.([\w-]{0,64})\.([\w-]{43})$/;

/**
 * Creates the token of a dry run. It is sealed with the hash of the caller's key, so it is valid only for these
 * arguments and this key, and no instance has to store it.
 */
export function proposalFor(proposed: Proposed, proposer: Proposer, shown: Shown, now: Date): string {
  const expires = (Math.floor(now.getTime() / 1000) + PROPOSAL_LIFE).toString(36);
  const { version, effects } = shown;
  return `p2.${expires}.${version}.${effects}.${sealOf(proposed, proposer, shown, expires)}`;
}

/** A token that fits the arguments. */
export interface ReadProposal extends Shown {
  readonly isOver: boolean;
}

/** @throws ApiError VALIDATION_ERROR for a token that does not fit the arguments */
export function readProposal(token: string, proposed: Proposed, proposer: Proposer, now: Date): ReadProposal {
  const [, expires, version, effects, seal] = form.exec(token) ?? [];
  if (expires === undefined || version === undefined || effects === undefined || seal === undefined)
    throw unfit();
  const expected = Buffer.from(sealOf(proposed, proposer, { version, effects }, expires));
  if (!timingSafeEqual(expected, Buffer.from(seal))) throw unfit();
  return { version, effects, isOver: parseInt(expires, 36) * 1000 <= now.getTime() };
}

/**
 * The error for a proposal that is too old. It is not stored under the idempotency key, so the next proposal may use
 * the same key.
 */
export function proposalIsOver(): ApiError {
  return invalidInput(['proposal is more than an hour old; make a new one']);
}

function unfit(): ApiError {
  return invalidInput([
    'proposal must be the token of a dry run with exactly these arguments, made with the same key; make a new one',
  ]);
}

function sealOf(
  { tool, given }: Proposed,
  { customerId, keyHash }: Proposer,
  { version, effects }: Shown,
  expires: string,
): string {
  const digest = digestOf('MCP', tool, given);
  return createHmac('sha256', keyHash)
    .update(JSON.stringify([customerId, digest, version, effects, expires]))
    .digest('base64url');
}
