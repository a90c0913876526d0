import type { CustomerTransaction } from '../../../database/transaction/store';
import { objectsOfAliases } from '../../../records/objects/aliases.repository';
import type { Recording } from '../outbox-command';

/**
 * Commands that name the objects to which their records refer by their present IDs. An object may have been merged since the command
 * was accepted; records must not refer to its former ID, which is no object.
 */
export async function withPresentIds<Command extends { readonly recording: Recording }>(
  tx: CustomerTransaction,
  commands: readonly Command[],
): Promise<readonly Command[]> {
  const named = commands.flatMap(({ recording }) => idsIn(recording));
  const present = await objectsOfAliases(tx, [...new Set(named)]);
  if (present.size === 0) return commands;
  return commands.map((command) => ({ ...command, recording: renamed(command.recording, present) }));
}

function idsIn({ references, before, awaits }: Recording): readonly string[] {
  return [references, before, awaits].flatMap((ids) =>
    Object.values(ids ?? {}).filter((id) => typeof id === 'string'),
  );
}

function renamed(recording: Recording, present: ReadonlyMap<string, string>): Recording {
  const { references, before, awaits } = recording;
  const rename = <Id extends string | null>(ids: Readonly<Record<string, Id>>) =>
    Object.fromEntries(
      Object.entries(ids).map(([field, id]) => [field, (id !== null && present.get(id)) || id] as const),
    );
  return {
    ...recording,
    references: rename(references),
    before: rename(before),
    ...(awaits && { awaits: rename(awaits) }),
  };
}
