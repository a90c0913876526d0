import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../auth/guard/access.decorators';
import { AnyQuery } from '../common/validation/any-query.decorator';
import { BypassAdmission } from '../common/admission/bypass-admission.decorator';
import { Bare } from '../common/response/bare.decorator';
import type { Liveness, Readiness } from './probes.response';
import { PROBE_PATHS } from '../common/request/probe-paths';
import { ReadinessService } from './readiness.service';

/**
 * Probes for the supervisor of the process, such as Kubernetes; not part of the API. Liveness does not depend on the
 * database, because a restart of the instance would not bring the database back. Readiness does.
 */
@ApiExcludeController()
@AnyQuery()
@Controller()
export class ProbesController {
  constructor(private readonly readiness: ReadinessService) {}

  @Get(PROBE_PATHS[0])
  @Public()
  @BypassAdmission()
  @Bare()
  live(): Liveness {
    return { status: 'alive' };
  }

  @Get(PROBE_PATHS[1])
  @Public()
  @BypassAdmission()
  @Bare()
  async ready(@Res({ passthrough: true }) response: Response): Promise<Readiness> {
    const readiness = await this.readiness.check();
    response.status(readiness.status === 'ready' ? 200 : 503);
    return readiness;
  }
}
