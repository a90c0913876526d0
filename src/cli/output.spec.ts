import { PassThrough } from 'node:stream';
import { outliveReader } from './output';

describe('output that nobody reads any more', () => {
  it('does not end a command', () => {
    const stream = new PassThrough();
    outliveReader(stream);
    const broken = (code: string) => Object.assign(new Error(`write ${code}`), { code });
    expect(() => stream.emit('error', broken('EPIPE'))).not.toThrow();
    expect(() => stream.emit('error', broken('ENOSPC'))).toThrow('write ENOSPC');
  });
});
