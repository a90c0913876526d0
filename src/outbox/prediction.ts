import type { JsonObject } from '@app/mapper';
import { writeCommandOf, type StoredCommand } from './outbox-command';
import type { Recorder } from './recorder';

/** What a command is expected to make of the record that it is for. What cannot be told stays as it was. */
export function predictedOf(
  { customerId, connectors }: Pick<Recorder, 'customerId' | 'connectors'>,
  command: StoredCommand,
): JsonObject {
  const { platform, mode, base, predicted } = command;
  const connector = connectors.connectorFor({ customerId, platform, mode });
  const prediction = connector.predict(writeCommandOf(customerId, command), base);
  return prediction.status === 'applied' ? prediction.payload : predicted;
}
