import type { JsonValue, PlatformName } from '@app/mapper';
import type { PlatformResponse } from '../platform-response';
import type { PlatformResult } from '../platform-result';
import { platformErrorOf } from './result-error';

/** A response with a 2xx status. @throws PlatformError for anything else */
export function successOf(platform: PlatformName, result: PlatformResult): PlatformResponse {
  if (result.kind === 'answered' && result.response.ok) return result.response;
  throw platformErrorOf(platform, result);
}

/** The JSON of a response with a 2xx status. @throws PlatformError for anything else */
export function jsonOf(platform: PlatformName, result: PlatformResult): JsonValue {
  const json = successOf(platform, result).json();
  if (json.kind === 'json') return json.value;
  throw platformErrorOf(platform, result);
}

/** Whether a call was answered with a status. */
export function isAnswered(result: PlatformResult, status: number): boolean {
  return result.kind === 'answered' && result.response.status === status;
}
