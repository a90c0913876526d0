import { Module } from '@nestjs/common';
import { PlatformSources } from '../platforms/platform-source';
import { PlatformWriter } from '../platforms/platform-writer';
import { SandboxSources } from './sandbox-sources';
import { SandboxWriter } from './sandbox-writer';

/** The platforms, as long as nobody has credentials for live ones: every customer has sandboxes of its own. */
@Module({
  providers: [
    { provide: PlatformSources, useClass: SandboxSources },
    { provide: PlatformWriter, useClass: SandboxWriter },
  ],
  exports: [PlatformSources, PlatformWriter],
})
export class SandboxModule {}
