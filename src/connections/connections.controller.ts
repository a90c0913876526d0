import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentCustomer } from '../auth/caller';
import type { Customer } from '../auth/customer';
import { Described } from '../openapi/described.decorator';
import { errorMeanings } from '../openapi/error-answers';
import { ConnectDto } from './connect.dto';
import { ConnectionList, ConnectResult } from './connections.answer';
import { ConnectionsService } from './connections.service';

@ApiTags('Connections')
@Controller()
export class ConnectionsController {
  constructor(private readonly connections: ConnectionsService) {}

  @Described({
    operationId: 'connectPlatform',
    summary: 'Connect a platform',
    description:
      'Brings the platform’s records in and matches them with those of the other platform by their business keys. The order in which platforms are connected does not matter. Again on a connected platform it synchronises: nothing is doubled or lost.',
    answer: { type: ConnectResult, description: 'The platform is connected.' },
    errors: { 409: errorMeanings[409] },
  })
  @Post('connect')
  @HttpCode(200)
  connect(@CurrentCustomer() customer: Customer, @Body() body: ConnectDto): Promise<ConnectResult> {
    return this.connections.connect(customer, body.platform);
  }

  @Described({
    operationId: 'listConnections',
    summary: 'List connected platforms',
    description: 'The platforms of the customer, with the number of records that each has here.',
    answer: { type: ConnectionList, description: 'The connections.' },
  })
  @Get('connections')
  async list(@CurrentCustomer() customer: Customer): Promise<ConnectionList> {
    return { connections: await this.connections.list(customer) };
  }
}
