import { isJsonArray, stringifyJson, type JsonObject, type JsonValue } from '@app/mapper';
import { clientSamples } from './client-samples';

/** Queries for the samples of operations that require one, by operation ID. */
const queries: Readonly<Partial<Record<string, string>>> = {
  listObjects: '?platform=platform_a&entity_type=payment',
};

/** An operation of the OpenAPI document, and its place there. */
export interface DescribedOperation {
  /** `get`, `post` and so on. */
  readonly method: string;
  /** The path, with names of parameters in braces. */
  readonly path: string;
  readonly operation: JsonObject;
  /** Bodies of recorded requests that succeed. */
  readonly bodies: readonly JsonValue[];
}

/**
 * Code samples of an operation (`x-codeSamples`): with curl, generated from the description, and with the client if it has a
 * method for the operation. `BASE_URL`, `API_KEY` and the parameters of the path are shell variables. Pure.
 */
export function codeSamples(described: DescribedOperation): readonly JsonObject[] {
  const { operationId } = described.operation;
  const id = typeof operationId === 'string' ? operationId : '';
  const client = clientSamples[id];
  return [
    { lang: 'Shell', label: 'curl', source: curlSample(described, queries[id] ?? '') },
    ...(client === undefined ? [] : [{ lang: 'TypeScript', label: 'Client', source: client }]),
  ];
}

function curlSample({ method, path, operation, bodies }: DescribedOperation, query: string): string {
  const variable = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const options = [
    ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
    `"$BASE_URL${variable}${query}"`,
    ...(isJsonArray(operation.security) && operation.security.length > 0
      ? ['-H "Authorization: Bearer $API_KEY"']
      : []),
    ...(method === 'get' ? [] : ['-H "Content-Type: application/json"', `-d ${quoted(shortest(bodies))}`]),
  ];
  return `curl ${options.join(' \\\n  ')}`;
}

function shortest(bodies: readonly JsonValue[]): string {
  const texts = bodies.map((body) => stringifyJson(body));
  return texts.reduce((one, other) => (other.length < one.length ? other : one), texts[0] ?? '{}');
}

/** A text quoted as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
