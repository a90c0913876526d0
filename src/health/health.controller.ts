import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../auth/public.decorator';
import { OutOfTurn } from '../common/admission/out-of-turn.decorator';
import { Described } from '../common/openapi/described.decorator';
import { Health } from './health.answer';
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
  @OutOfTurn()
  async check(@Res({ passthrough: true }) response: Response): Promise<Health> {
    const health = await this.health.check();
    response.status(health.status === 'ok' ? 200 : 503);
    return health;
  }
}
