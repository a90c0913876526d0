import { ownMember, type JsonObject } from '@app/mapper';
import type { Refusal } from '../../server';
import type { Call } from '../call';
import { idText } from '../ids';
import { refuseRecord } from '../refusals';
import { objectAt, objectsIn } from '../totals';
import type { World } from '../world';
import type { ContractFamily } from './contract-fields';
import { isBlank } from './writing';

const LOCKED = 'The vendor and the schedule of values are locked while the contract is approved or complete';

/** Whether a contract belongs to the project of a call. */
export function isIn(call: Call): (row: JsonObject) => boolean {
  return (row) => idText(objectAt(row, 'project')['id']) === call.project;
}

/**
 * Returns the contract in the path for a write.
 *
 * @throws Refusal 404, or 422 if it is locked
 */
export function currentContract(call: Call, { kind }: ContractFamily, parameter = 'id'): JsonObject {
  return call.current(kind, call.path(parameter), (row) => isIn(call)(row) && isBlank(row['deleted_at']));
}

/** Whether a company setting makes vendor and lines read-only in the status of the contract. */
export function isLockedByStatus(world: World, contract: JsonObject): boolean {
  const status = ownMember(contract, 'status');
  return world.core.switches.get('lockApprovedContracts') && (status === 'Approved' || status === 'Complete');
}

export function refuseLocked(): Refusal {
  return refuseRecord(LOCKED);
}

/** The lines of a contract. */
export function linesOf(contract: JsonObject): readonly JsonObject[] {
  return objectsIn(contract, 'line_items');
}
