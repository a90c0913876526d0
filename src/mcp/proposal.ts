import { createHmac, timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '@app/mapper';
import { invalidInput, type ApiError } from '../common/errors/api-error';
import { digestOf } from '../common/idempotency/digest';

/** Seconds for which a proposal can be applied. */
export const PROPOSAL_LIFE = 3_600;

/** What was proposed: the tool and its arguments. The token adds the version of the object at the dry run. */
export interface Proposed {
  /** The name of the tool that applies it. */
  readonly tool: string;
  readonly given: JsonObject;
}

/** The customer and the key that propose. */
export interface Proposer {
  readonly customerId: string;
  /** SHA-256 of the API key. Agents do not know it, so they cannot make a token themselves. */
  readonly keyHash: string;
}

const form = /^p1\.([0-9a-z]{1,10})\.([\w-]{0,64})\.([\w-]{43})$/;

/**
 * Creates the token of a dry run. It is sealed with the hash of the caller's key, so it is valid only for these
 * arguments and this key, and no instance has to store it.
 *
 * @param version of the object; empty if there is none
 */
export function proposalFor(proposed: Proposed, proposer: Proposer, version: string, now: Date): string {
  const expires = (Math.floor(now.getTime() / 1000) + PROPOSAL_LIFE).toString(36);
  return `p1.${expires}.${version}.${sealOf(proposed, proposer, version, expires)}`;
}

/** A token that fits the arguments. */
export interface ReadProposal {
  readonly version: string;
  readonly isOver: boolean;
}

/** @throws ApiError VALIDATION_ERROR for a token that does not fit the arguments */
export function readProposal(token: string, proposed: Proposed, proposer: Proposer, now: Date): ReadProposal {
  const [, expires, version, seal] = form.exec(token) ?? [];
  if (expires === undefined || version === undefined || seal === undefined) throw unfit();
  const expected = Buffer.from(sealOf(proposed, proposer, version, expires));
  if (!timingSafeEqual(expected, Buffer.from(seal))) throw unfit();
  return { version, isOver: parseInt(expires, 36) * 1000 <= now.getTime() };
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
  version: string,
  expires: string,
): string {
  const digest = digestOf('MCP', tool, given);
  return createHmac('sha256', keyHash)
    .update(JSON.stringify([customerId, digest, version, expires]))
    .digest('base64url');
}
