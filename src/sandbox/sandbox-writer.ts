import { Injectable } from '@nestjs/common';
import type { JsonObject, PlatformName } from '@app/mapper';
import { Clock } from '../clock/clock';
import { PlatformWriter, type PlatformWrite, type WriteOutcome } from '../platforms/platform-writer';
import { writeToPlatformA } from './platform-a-behaviour';
import { writeToPlatformB } from './platform-b-behaviour';

/** How a platform reacts to a write. Pure: the record before, and the time, in; the record after, out. */
export type Behaviour = (write: PlatformWrite, now: Date) => JsonObject;

const behaviours: Readonly<Record<PlatformName, Behaviour>> = {
  platform_a: writeToPlatformA,
  platform_b: writeToPlatformB,
};

/** Writes to sandbox platforms: the record changes as the platform itself would change it. */
@Injectable()
export class SandboxWriter extends PlatformWriter {
  constructor(private readonly clock: Clock) {
    super();
  }

  override write(write: PlatformWrite): WriteOutcome {
    return { status: 'applied', payload: behaviours[write.platform](write, this.clock.now()) };
  }
}
