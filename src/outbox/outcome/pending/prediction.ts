import type { JsonObject, NativeChange } from '@app/mapper';
import { writeCommandOf, type StoredCommand } from '../../command/outbox-command';
import type { Recorder } from '../recorder';

/** The record that a command is expected to leave behind. Fields that cannot be predicted keep their present values. */
export function predictedOf(recorder: Predictor, command: StoredCommand): JsonObject {
  return predictionOf(recorder, command).predicted;
}

/** The same, with the changes that the platform allows. */
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
