import { isJsonArray, stringifyJson, type JsonObject, type JsonValue } from '@app/mapper';
import { clientSamples } from './client-samples';

/** Queries of operations that answer only with one. */
const queries: Readonly<Partial<Record<string, string>>> = {
  listObjects: '?platform=platform_a&entity_type=payment',
};

/** An operation, and where it is. */
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
 * Samples of a call, for pages and generators that show them: with curl, made from the description, and with the client where it
 * has a method. `BASE_URL`, `API_KEY` and the parameters of the path are variables of the shell. Pure.
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

/** As one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
