import { Injectable } from '@nestjs/common';
import { CustomersService } from '../../auth/customers/customers.service';
import { endOfDay, startOfDay } from '../../auth/customers/time-zone';
import { isDate, timeFrom } from './time-parameter';

/**
 * Times of parameters that {@link IsTime} has checked. A date without a time is a day of the customer, which begins and
 * ends in the customer's time zone. Only such a date asks the database.
 */
@Injectable()
export class CustomerTimes {
  constructor(private readonly customers: CustomersService) {}

  /**
   * The last moment of a parameter such as `as_of` or `until`: the given time, or the last microsecond of the given
   * day.
   *
   * @returns in UTC, with microseconds
   * @throws CustomerDeleted when the customer was deleted meanwhile
   */
  last(customerId: string, text: string): Promise<string> {
    return this.from(customerId, text, endOfDay);
  }

  /** The first moment that a parameter such as `since` means. See {@link last}. */
  first(customerId: string, text: string): Promise<string> {
    return this.from(customerId, text, startOfDay);
  }

  private async from(
    customerId: string,
    text: string,
    ofDay: (day: string, zone: string) => string,
  ): Promise<string> {
    if (isDate(text)) return ofDay(text, (await this.customers.profile(customerId)).timeZone);
    const time = timeFrom(text);
    if (time === undefined) throw new Error('The parameter was not checked');
    return time;
  }
}
