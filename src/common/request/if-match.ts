import { invalidInput } from '../errors/api-error';
import { headerParameter } from './header-parameter';
import { versionIn } from './entity-tag';

/** The versions that a writer knows; `*` matches any version. */
export type KnownVersions = '*' | readonly string[];

const NAME = 'If-Match';
const tag = /^(W\/)?"([\x21\x23-\x7e]*)"$/;

/**
 * The versions of an object that the header `If-Match` names (RFC 9110 §13.1.1); undefined without it.
 *
 * @throws ApiError VALIDATION_ERROR for a header of another form
 */
export const IfMatch = versionsParameter(
  'The `version` of the object that the change was made for, as an entity tag: `"…"`. The `ETag` of a single read is accepted as well. If the object has another version by now, the answer is 409 and nothing is changed. Without the header the last writer wins.',
);

/** The versions of a case that it names; as {@link IfMatch}. */
export const IfCaseMatches = versionsParameter(
  'The `version` of the case that the person saw, as an entity tag: `"…"`. If the case has another version by now, the answer is 409 and nothing is changed. Without the header the present values are accepted.',
);

function versionsParameter(description: string): () => ParameterDecorator {
  return headerParameter(
    { name: NAME, required: false, description, schema: { type: 'string' } },
    (request) => knownVersions(request.headers['if-match']),
  );
}

/**
 * See {@link IfMatch}. A weak tag names no version, because it does not guarantee that nothing has changed.
 * Reconciliation decisions since the reading do not make a writer stale.
 */
export function knownVersions(header: string | undefined): KnownVersions | undefined {
  if (header === undefined) return undefined;
  const parts = header.split(',').map((part) => part.trim());
  if (parts.length === 1 && parts[0] === '*') return '*';
  const tags = parts.map((part) => tag.exec(part));
  if (tags.includes(null)) {
    throw invalidInput([`the header ${NAME} must be * or a list of entity tags, such as "…"`]);
  }
  return tags.flatMap((found) =>
    found?.[2] === undefined || found[1] !== undefined ? [] : [versionIn(found[2])],
  );
}
