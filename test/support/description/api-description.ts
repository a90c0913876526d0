import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The operations of an API description, by path and by method in lower case. */
export type Paths<Operation> = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** An operation, and the values of the parameters in its path. */
export interface FoundOperation<Operation> {
  readonly operation: Operation;
  readonly values: ReadonlyMap<string, string>;
}

/** The path of the committed description of the API. */
export const documentFile = join(__dirname, '../../../docs/openapi.json');

/** The committed description. */
export function committedDocument(): unknown {
  return JSON.parse(readFileSync(documentFile, 'utf8'));
}

/**
 * Compiler options for schemas in tests. A test file compiles the schemas that it needs and uses each only a few
 * times, so optimisation does not pay. Another test checks that the description itself is valid.
 */
export const COMPILED_SOON = { code: { optimize: false }, inlineRefs: false, validateSchema: false } as const;

/**
 * The operation that answers a request; undefined for a route that is not described. A parameter matches one segment
 * of a path.
 *
 * @param path without query, `/api/v1/health`
 */
export function operationOf<Operation>(
  paths: Paths<Operation>,
  method: string,
  path: string,
): FoundOperation<Operation> | undefined {
  const parts = path.split('/');
  const templates = Object.keys(paths).filter((template) => {
    const names = template.split('/');
    return (
      names.length === parts.length && names.every((name, at) => name.startsWith('{') || name === parts[at])
    );
  });
  const template = templates.includes(path) ? path : templates[0];
  const operation = template === undefined ? undefined : paths[template]?.[method.toLowerCase()];
  if (template === undefined || operation === undefined) return undefined;
  const values = template
    .split('/')
    .flatMap((name, at) =>
      name.startsWith('{') ? [[name.slice(1, -1), decoded(parts[at] ?? '')] as const] : [],
    );
  return { operation, values: new Map(values) };
}

/** A decoded path segment; unchanged if it cannot be decoded. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
