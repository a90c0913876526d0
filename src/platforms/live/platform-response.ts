import { isJsonObject, JsonTextError, parseJsonText, type JsonObject, type JsonValue } from '@app/mapper';

/** The result of reading a body as JSON. */
export type JsonOutcome =
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'not_json'; readonly problem: JsonProblem };

/** Why a body is not JSON. `cut`: it begins as JSON and ends early. */
export type JsonProblem = 'empty' | 'html' | 'cut' | 'not_utf8' | 'malformed';

/** An answer of a platform, whole. */
export class PlatformResponse {
  private parsed: JsonOutcome | undefined;

  constructor(
    readonly status: number,
    /** By lower-case name. Of a header that came several times the values are joined with `, `. */
    readonly headers: Readonly<Record<string, string>>,
    private readonly body: Buffer,
  ) {}

  /** Of the body, after decompression. */
  get bytes(): number {
    return this.body.length;
  }

  /** Whether the status is 2xx. */
  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** The body as UTF-8; invalid bytes become U+FFFD. */
  get text(): string {
    return new TextDecoder().decode(this.body);
  }

  /** A copy of the response with other headers. */
  withHeaders(headers: Readonly<Record<string, string>>): PlatformResponse {
    return new PlatformResponse(this.status, headers, this.body);
  }

  /** The body as JSON, whatever its content type says; parsed once. Numbers keep their spelling. Never throws. */
  json(): JsonOutcome {
    return (this.parsed ??= this.parse());
  }

  /** The body if it is a JSON object. */
  get object(): JsonObject | undefined {
    const body = this.json();
    return body.kind === 'json' && isJsonObject(body.value) ? body.value : undefined;
  }

  private parse(): JsonOutcome {
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(this.body);
    } catch {
      return { kind: 'not_json', problem: 'not_utf8' };
    }
    try {
      return { kind: 'json', value: parseJsonText(text) };
    } catch (error) {
      if (!(error instanceof JsonTextError)) throw error;
      return { kind: 'not_json', problem: problemOf(text.trim()) };
    }
  }
}

/** @param text without white space around it, known not to be JSON */
function problemOf(text: string): JsonProblem {
  if (text === '') return 'empty';
  if (text.startsWith('<')) return 'html';
  const end = { '{': '}', '[': ']' }[text.charAt(0)];
  return end !== undefined && !text.endsWith(end) ? 'cut' : 'malformed';
}
