import { isJsonObject, parseJsonText, type JsonObject, type JsonValue } from '@app/mapper';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A recorded exchange with the running service. */
export interface RecordedExample {
  readonly operationId: string;
  /** Key of the example in the document. */
  readonly name: string;
  readonly summary: string;
  /** The request body; undefined for a request without one. */
  readonly request: JsonValue | undefined;
  readonly status: number;
  /** The response body; undefined for a response without one. */
  readonly answer: JsonValue | undefined;
}

/** Replaces the operation's name in the file of errors that any operation can return. */
export const COMMON_EXAMPLES = 'errors';

const folder = join(__dirname, 'examples');

/**
 * Every recorded example, in the order of its file and its position. A test records them with UPDATE_DOCS=1 and
 * otherwise checks that the service still responds in this form.
 */
export function readExamples(): readonly RecordedExample[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((file) => {
      const recorded = parseJsonText(readFileSync(join(folder, file), 'utf8'));
      if (!isJsonObject(recorded)) throw new Error(`${file} holds no examples`);
      return Object.entries(recorded).map(([name, example]) =>
        exampleOf(basename(file, '.json'), name, example),
      );
    });
}

function exampleOf(operationId: string, name: string, example: JsonValue): RecordedExample {
  const { summary, status, request, answer } = isJsonObject(example) ? example : ({} as JsonObject);
  if (typeof summary !== 'string' || typeof status !== 'number') {
    throw new Error(`Example ${name} of ${operationId} has no summary or no status`);
  }
  return { operationId, name, summary, request, status, answer };
}
