import { Injectable } from '@nestjs/common';

/** Where the time comes from. Everything that depends on it asks here, so that a test can set it. */
export abstract class Clock {
  abstract now(): Date;
}

@Injectable()
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}
