import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The operations of a description of an API, by path and method in small letters. */
export type Paths<Operation> = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** An operation, and the values of the parameters in its path. */
export interface FoundOperation<Operation> {
  readonly operation: Operation;
  readonly values: ReadonlyMap<string, string>;
}

/** Where the description of the API is committed. */
export const documentFile = join(__dirname, '../../docs/openapi.json');

/** The committed description. */
export function committedDocument(): unknown {
  return JSON.parse(readFileSync(documentFile, 'utf8'));
}

/**
 * Each file of tests compiles the schemas that it meets, and uses them a few times: what makes them quick to use does not pay.
 * That the description itself is valid is tested by its own.
 */
export const COMPILED_SOON = { code: { optimize: false }, inlineRefs: false, validateSchema: false } as const;

/**
 * The operation that answers a request, undefined for a route that is not described. A parameter stands for one part of a path.
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

/** A part of a path as text; as it stands where it is no text. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
