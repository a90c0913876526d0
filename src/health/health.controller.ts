import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../auth/guard/access.decorators';
import { BypassAdmission } from '../common/admission/bypass-admission.decorator';
import { Described } from '../common/openapi/described.decorator';
import { Health } from './health.response';
import { HealthService } from './health.service';

@ApiTags('Service')
@Controller('health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Described({
    operationId: 'getHealth',
    summary: 'Whether the service can do its work',
    description: 'Needs no key.',
    answer: { type: Health, description: 'All checks pass.' },
    otherwise: { 503: 'The process runs but cannot serve data requests.' },
  })
  @Get()
  @Public()
  @BypassAdmission()
  async check(@Res({ passthrough: true }) response: Response): Promise<Health> {
    const health = await this.health.check();
    response.status(health.status === 'ok' ? 200 : 503);
    return health;
  }
}
