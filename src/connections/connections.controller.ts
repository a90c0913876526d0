import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentCustomer } from '../auth/caller';
import type { Customer } from '../auth/customer';
import { ConnectDto } from './connect.dto';
import { ConnectionsService, type ConnectionRecord, type ConnectResult } from './connections.service';

@Controller()
export class ConnectionsController {
  constructor(private readonly connections: ConnectionsService) {}

  @Post('connect')
  @HttpCode(200)
  connect(@CurrentCustomer() customer: Customer, @Body() body: ConnectDto): Promise<ConnectResult> {
    return this.connections.connect(customer, body.platform);
  }

  @Get('connections')
  async list(@CurrentCustomer() customer: Customer): Promise<{ connections: readonly ConnectionRecord[] }> {
    return { connections: await this.connections.list(customer) };
  }
}
