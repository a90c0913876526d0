import type { JsonObject, NativeChange } from '@app/mapper';
import { writeCommandOf, type StoredCommand } from '../outbox-command';
import type { Recorder } from '../../outcome/recorder';

/** What a command is expected to make of the record that it is for. What cannot be told stays as it was. */
export function predictedOf(recorder: Predictor, command: StoredCommand): JsonObject {
  return predictionOf(recorder, command).predicted;
}

/** The same, and the changes as far as the platform lets them be written. */
export function predictionOf(
  { tx: { customerId }, connectors }: Predictor,
  command: StoredCommand,
): { readonly predicted: JsonObject; readonly changes: readonly NativeChange[] } {
  const { platform, mode, base, predicted, changes } = command;
  const connector = connectors.connectorFor({ customerId, platform, mode });
  const prediction = connector.predict(writeCommandOf(customerId, command), base);
  return prediction.status === 'applied'
    ? { predicted: prediction.payload, changes: prediction.writes ?? changes }
    : { predicted, changes };
}

type Predictor = Pick<Recorder, 'tx' | 'connectors'>;
