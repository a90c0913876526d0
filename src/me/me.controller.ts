import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentCaller, type Caller } from '../auth/callers/caller';
import { AnyKey } from '../auth/guard/access.decorators';
import { Described } from '../common/openapi/described.decorator';
import { MeResponse } from './me.response';
import { MeService } from './me.service';

@ApiTags('Service')
@Controller('me')
export class MeController {
  constructor(private readonly me: MeService) {}

  @Described({
    operationId: 'getMe',
    summary: 'Who is calling, and what the caller may do',
    description:
      'The customer of the key, the key’s own mode and permissions, the connected platforms, and the limits in force. Any valid key may ask, whatever its permissions.',
    answer: { type: MeResponse, description: 'The caller.' },
  })
  @Get()
  @AnyKey()
  read(@CurrentCaller() caller: Caller): Promise<MeResponse> {
    return this.me.describe(caller);
  }
}
