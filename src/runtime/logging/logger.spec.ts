import { createLogger } from './logger';
import { NestLogger } from './nest-logger';

function aLog(level = 'trace') {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger(level, {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  return { logger, nest: new NestLogger(logger), lines };
}

describe('createLogger', () => {
  it('writes one JSON object a line, with the level in words and the time in ISO 8601', () => {
    const { logger, lines } = aLog();
    logger.info({ customer_id: 'c' }, 'hello');
    expect(lines).toEqual([
      { level: 'info', time: expect.stringMatching(/^\d{4}-.*Z$/), customer_id: 'c', msg: 'hello' },
    ]);
  });

  it('leaves out what is below its level', () => {
    const { logger, lines } = aLog('error');
    logger.info('not of interest');
    expect(lines).toEqual([]);
  });
});

describe('NestLogger', () => {
  it.each([
    ['log', 'info'],
    ['warn', 'warn'],
    ['error', 'error'],
    ['fatal', 'fatal'],
    ['debug', 'debug'],
    ['verbose', 'trace'],
  ] as const)('writes %s at level %s, with the context', (method, level) => {
    const { nest, lines } = aLog();
    nest[method]('message', 'SomeService');
    expect(lines).toEqual([expect.objectContaining({ level, msg: 'message', context: 'SomeService' })]);
  });

  it('logs the messages of Nest’s start as details', () => {
    const { nest, lines } = aLog();
    nest.log('Mapped {/api/v1/health, GET} route', 'RouterExplorer');
    expect(lines).toEqual([expect.objectContaining({ level: 'debug' })]);
  });

  it('keeps the stack of an error', () => {
    const { nest, lines } = aLog();
    nest.error('it broke', 'Error: it broke\n at somewhere', 'SomeService');
    nest.error(new Error('thrown'), 'SomeService');
    expect(lines).toEqual([
      expect.objectContaining({
        msg: 'it broke',
        stack: expect.stringContaining('somewhere'),
        context: 'SomeService',
      }),
      expect.objectContaining({ msg: 'thrown', err: expect.objectContaining({ stack: expect.any(String) }) }),
    ]);
  });

  it('writes a message that is no text as JSON', () => {
    const { nest, lines } = aLog();
    nest.warn({ some: 'object' });
    expect(lines).toEqual([expect.objectContaining({ msg: '{"some":"object"}' })]);
  });
});
