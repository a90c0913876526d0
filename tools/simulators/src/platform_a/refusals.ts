import type { JsonObject } from '@app/mapper';
import { Refusal } from '../server';

/** A refusal with messages by field: 422, or 400. */
export function refuseFields(errors: Readonly<Record<string, readonly string[]>>, status = 422): Refusal {
  return new Refusal({ status, json: { errors: { ...errors } } });
}

/** A refusal of the record as a whole. */
export function refuseRecord(message: string): Refusal {
  return refuseFields({ base: [message] });
}

/** Refuses a request without a required parameter or member. */
export function missing(name: string): Refusal {
  return refuseFields({ [name]: ['is required'] }, 400);
}

export function notFound(): Refusal {
  return new Refusal({ status: 404, json: envelope(404, 'Not Found') });
}

export function notConnected(): Refusal {
  return new Refusal({ status: 403, json: { errors: ['App is not connected to this company.'] } });
}

export function forbidden(message: string): Refusal {
  return new Refusal({ status: 403, json: { errors: [message] } });
}

/** The error body that most operations declare for errors without a form of their own. */
export function envelope(code: number, message: string): JsonObject {
  return { code, message, fields: null, reason: null, error: null };
}
