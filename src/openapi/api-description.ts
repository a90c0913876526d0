import { Injectable, type INestApplication } from '@nestjs/common';
import type { JsonObject } from '@app/mapper';
import { describeApi } from './document';

/** The description of the running application, made when it is first asked for. */
@Injectable()
export class ApiDescription {
  private app: INestApplication | undefined;
  private described: JsonObject | undefined;

  /** Tells which application is described; Nest does not hand it to its parts. */
  of(app: INestApplication): void {
    this.app = app;
  }

  /** The OpenAPI document. */
  get document(): JsonObject {
    if (this.app === undefined) throw new Error('No application was given to describe');
    this.described ??= describeApi(this.app);
    return this.described;
  }
}
