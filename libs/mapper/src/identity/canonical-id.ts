import { hash } from 'node:crypto';
import { idPrefixes, type EntityType } from '../canonical/entity-type';

/**
 * What an ID is the digest of: the business key, the key within its parent where the key repeats, the native ID where
 * there is no key or even that repeats, or the payload of a record that has neither.
 */
export type IdBasis =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'key in parent'; readonly parentId: string; readonly key: string }
  | { readonly kind: 'native'; readonly platform: string; readonly nativeId: string }
  | { readonly kind: 'payload'; readonly payload: string };

// A normalised key holds no control character, and a native ID or a payload comes last, so two bases never read the
// same.
const SEPARATOR = '\u001f';
const DIGEST_LENGTH = 32;

/**
 * The canonical ID of a record: the type's prefix and 128 bits of a SHA-256, in hexadecimal. The same for both
 * platforms' copies of one thing, whichever is seen first, and for a preview of it. The database computes the same
 * digest when it matches in bulk; a test holds the two together.
 */
export function canonicalId(customerId: string, entityType: EntityType, basis: IdBasis): string {
  const text = `${customerId}${SEPARATOR}${entityType}${SEPARATOR}${basis.kind}${SEPARATOR}${textOf(basis)}`;
  return `${idPrefixes[entityType]}_${hash('sha256', text, 'hex').slice(0, DIGEST_LENGTH)}`;
}

function textOf(basis: IdBasis): string {
  switch (basis.kind) {
    case 'key':
      return basis.key;
    case 'key in parent':
      return basis.parentId + SEPARATOR + basis.key;
    case 'native':
      return basis.platform + SEPARATOR + basis.nativeId;
    case 'payload':
      return basis.payload;
  }
}

const idForm = /^([a-z]+)_[0-9A-Za-z]{16,64}$/;

/** Whether a text has the form of a canonical ID of a type. Says nothing about whether such an object exists. */
export function isCanonicalIdOf(entityType: EntityType, text: string): boolean {
  return idForm.exec(text)?.[1] === idPrefixes[entityType];
}
