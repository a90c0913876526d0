import { isJsonArray, isJsonObject, ownMember, type JsonObject } from '@app/mapper';
import { Refusal, type Reply } from '../../server';
import type { Call } from '../call';
import { idText } from '../ids';
import { ok } from '../operations';
import { missing } from '../refusals';

const MOST_UPDATES = 1000;

/** How the records of a resource are found and written, one by one. */
export interface Synchronised {
  byId(id: string): JsonObject | undefined;
  byOrigin(originId: string): JsonObject | undefined;
  /** @throws Refusal with messages by field */
  create(attributes: JsonObject): JsonObject;
  /** @throws Refusal with messages by field */
  update(current: JsonObject, attributes: JsonObject): JsonObject;
  /** Status for too many updates. */
  readonly tooMany?: number;
}

/** Creates and updates many records. The answer is a success even if every one was refused. */
export function syncReply(call: Call, resource: Synchronised): Reply {
  const updates = ownMember(call.body(), 'updates');
  if (!isJsonArray(updates) || !updates.every(isJsonObject)) throw missing('updates');
  if (updates.length > MOST_UPDATES) {
    const message = `A sync takes at most ${MOST_UPDATES} updates`;
    throw new Refusal({ status: resource.tooMany ?? 400, json: { errors: { updates: [message] } } });
  }
  const entities: JsonObject[] = [];
  const errors: JsonObject[] = [];
  for (const attributes of updates) {
    try {
      entities.push(written(attributes, resource));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const json = error.reply.json;
      const messages = isJsonObject(json) ? ownMember(json, 'errors') : undefined;
      errors.push({ ...attributes, errors: messages ?? { base: ['is invalid'] } });
    }
  }
  if (call.world.core.switches.get('syncOrder') === 'reversed') entities.reverse();
  return ok({ entities, errors });
}

function written(attributes: JsonObject, resource: Synchronised): JsonObject {
  if (ownMember(attributes, 'id') !== undefined) {
    const id = idText(attributes['id']);
    const current = id === undefined ? undefined : resource.byId(id);
    if (current === undefined) {
      throw new Refusal({ status: 404, json: { errors: { id: ['Entity with this ID not found'] } } });
    }
    return resource.update(current, attributes);
  }
  const origin = ownMember(attributes, 'origin_id');
  const current = typeof origin === 'string' && origin !== '' ? resource.byOrigin(origin) : undefined;
  return current === undefined ? resource.create(attributes) : resource.update(current, attributes);
}
