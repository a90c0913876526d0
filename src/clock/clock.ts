import { Injectable } from '@nestjs/common';

/** The source of the time. All code that depends on the time asks here, so that a test can set it. */
export abstract class Clock {
  abstract now(): Date;
}

@Injectable()
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}
