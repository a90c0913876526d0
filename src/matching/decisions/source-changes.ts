import { Injectable } from '@nestjs/common';
import { groupBy, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { Sources } from '../../records/connections/connections.repository';
import type { NewEvent } from '../../records/events/events.repository';
import { loadConstraints } from '../rule/link-constraints.repository';
import { SERVICE, type StoredDecision } from '../rule/stored-decision';
import { decisionEvent } from './decision-event';
import { DecisionsRepository } from './decisions.repository';
import { objectsOf } from './rematch/matched-records.repository';

/**
 * What becomes of decisions when a platform is read from another source: its sandbox, or another company. A decision names
 * native IDs, which are those of other records there.
 */
@Injectable()
export class SourceChanges {
  constructor(private readonly decisions: DecisionsRepository) {}

  /**
   * Withdraws the standing decisions about the records of a platform, which another source replaces or which are removed. The
   * other records of their objects stay where they are.
   *
   * @param sources of the records until now
   * @param why the reason, for people
   * @returns the withdrawn decisions
   */
  end(
    tx: CustomerTransaction,
    platform: PlatformName,
    { sources, why, at }: { readonly sources: Sources; readonly why: string; readonly at: string },
  ): Promise<readonly StoredDecision[]> {
    return this.decisions.withdrawOf(tx, platform, { reason: why, by: SERVICE, at }, sources);
  }

  /**
   * Makes the decisions again that ended because a platform was read from another source, where both platforms are read from the
   * sources of that time again. With three platforms people may have decided otherwise meanwhile: decisions that contradict standing
   * ones stay withdrawn.
   *
   * @param sources of the records from now on
   * @returns the new decisions, in the names of those who decided, with their reasons
   */
  async renew(tx: CustomerTransaction, sources: Sources, at: string): Promise<readonly StoredDecision[]> {
    const ended = await this.decisions.ofSources(tx, sources);
    const holding: StoredDecision[] = [];
    for (const [entityType, ofType] of groupBy(ended, typeOf)) {
      const named = ofType.flatMap(({ records }) => records);
      const constraints = (await loadConstraints(tx, entityType, named)).with(ofType);
      holding.push(
        ...ofType.filter(({ records }) => !records.some((record) => constraints.contradictAt(record))),
      );
    }
    return holding.length === 0 ? [] : this.decisions.renew(tx, holding, at);
  }

  /** Attributes what ended to another source, which is the same company under another address. */
  rename(tx: CustomerTransaction, platform: PlatformName, before: string, after: string): Promise<void> {
    return this.decisions.renameSource(tx, platform, before, after);
  }

  /** The events of decisions that were withdrawn or made again, with the present objects of their records. */
  async events(tx: CustomerTransaction, decisions: readonly StoredDecision[]): Promise<readonly NewEvent[]> {
    const objects = new Map<StoredEntityType, ReadonlyMap<string, string>>();
    for (const [entityType, ofType] of groupBy(decisions, typeOf)) {
      const named = ofType.flatMap(({ records }) => records);
      objects.set(entityType, await objectsOf(tx, entityType, named));
    }
    return decisions.map((one) => decisionEvent(one, objects.get(one.entityType) ?? new Map()));
  }
}

function typeOf({ entityType }: StoredDecision): StoredEntityType {
  return entityType;
}
