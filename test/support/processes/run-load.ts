// A process that makes load when the process that started it asks for some, and sends back what came of it.
import { load } from '../../../bench/harness/load';
import type { LoadOfOneCall } from './load-process';

process.on('message', ({ wire, ...options }: LoadOfOneCall) => {
  const call = { wire: Buffer.from(wire, 'latin1') };
  void load({ ...options, next: () => call, tolerant: true }).then((loaded) => process.send?.(loaded));
});
process.on('disconnect', () => process.exit());
