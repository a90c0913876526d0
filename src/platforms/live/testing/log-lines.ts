import { createLogger, type Logger } from '../../../runtime/logging/logger';

/** A logger that keeps its lines. */
export function keptLog(): { readonly logger: Logger; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { logger: createLogger('debug', { write }), lines };
}
