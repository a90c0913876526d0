import { Module } from '@nestjs/common';
import { GATE_RULES } from './gate-rules';
import { Gate, GATE_RULES_OF } from './pacing/gate';
import { realTime, TIME } from './time';
import { PlatformClients } from './transport/platform-clients';

/** HTTP to the platforms, within their limits. */
@Module({
  providers: [
    Gate,
    PlatformClients,
    { provide: GATE_RULES_OF, useValue: GATE_RULES },
    { provide: TIME, useValue: realTime },
  ],
  exports: [Gate, PlatformClients, TIME],
})
export class LiveTransportModule {}
