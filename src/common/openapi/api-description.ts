import { Injectable, type INestApplication } from '@nestjs/common';
import { stringifyJson, type JsonObject } from '@app/mapper';
import { JsonText } from '../response/handler-results';
import { describeApi } from './document';

/** The description of the running application, created at its first use. */
@Injectable()
export class ApiDescription {
  private app: INestApplication | undefined;
  private described: JsonObject | undefined;
  private written: JsonText | undefined;

  /** Sets the described application, because Nest does not inject it into its parts. */
  of(app: INestApplication): void {
    this.app = app;
  }

  /** The OpenAPI document. */
  get document(): JsonObject {
    if (this.app === undefined) throw new Error('No application was given to describe');
    this.described ??= describeApi(this.app);
    return this.described;
  }

  /** The document as text, created once. */
  get text(): JsonText {
    this.written ??= new JsonText(stringifyJson(this.document));
    return this.written;
  }
}
