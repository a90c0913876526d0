import { valueAt, type JsonObject } from '@app/mapper';
import type { WriteCommand } from '../../connector';
import { findRecord } from '../reading/find-record';
import type { VendorDirectory } from '../reading/vendor-directory';
import { parentsIn, type Parents } from '../reading/parents-cache';
import type { Session } from '../wire/session';
import { idText } from '../wire/ids';
import { ListChanged, ownRefusal } from '../wire/read-page';
import type { WritingTimes } from './calls/times';
import { wantedOf } from './fields/values';

/** Everything that sending one command needs. */
export interface WriteContext {
  readonly session: Session;
  readonly vendors: VendorDirectory;
  readonly command: WriteCommand;
  readonly times: WritingTimes;
}

/** Whether records of a type stand under a project. */
export function isOfProject({ entityType }: Pick<WriteCommand, 'entityType'>): boolean {
  return entityType !== 'project' && entityType !== 'customer';
}

/** The parents of the command's record: as the record shows them, or as the command sets them for a new record. */
export function parentsOf(command: WriteCommand, known: JsonObject | undefined): Parents | undefined {
  if (!isOfProject(command)) return undefined;
  const { entityType, referred } = command;
  const wanted = (name: string): string | undefined => idText(wantedOf(command, name));
  const shown = known && parentsIn(entityType, known);
  const contractName = entityType === 'invoice' ? 'commitment_id' : 'contract_id';
  const contract =
    entityType === 'contract'
      ? undefined
      : ((known && idText(valueAt(known, [contractName]))) ?? wanted(contractName));
  const ofContract = referred['contract_id'] && parentsIn('contract', referred['contract_id']);
  const project =
    shown?.project ??
    wanted(entityType === 'contract' ? 'project.id' : 'project_id') ??
    ofContract?.project ??
    idText(referred['project_id']?.['id']);
  if (project === undefined) return undefined;
  return { project, ...(contract !== undefined && { contract }) };
}

/**
 * Reads the command's record; undefined if it cannot be seen.
 *
 * @throws ListChanged if a list in which it may stand could not be read whole; PlatformError
 */
export async function readCurrent(
  { session, vendors, command }: WriteContext,
  platformId: string,
  parents: Parents | undefined,
): Promise<JsonObject | undefined> {
  try {
    return (await findRecord({ session, vendors }, { ...command, platformId }, parents))?.payload;
  } catch (error) {
    if (error instanceof ListChanged) throw error;
    ownRefusal(error);
    return undefined;
  }
}
