import { mappingOf, valueAt, type PlatformName, type StoredEntityType } from '@app/mapper';
import { behaviourOf, type PortfolioRecord } from '@app/behaviour';

/** The sample records of one type on a platform, by native ID. */
export type Portfolio = ReadonlyMap<string, PortfolioRecord>;

const known = new Map<string, Portfolio>();

/** The sample records of a type; read once in the life of the process. */
export function portfolioOf(platform: PlatformName, entityType: StoredEntityType): Portfolio {
  const name = `${platform} ${entityType}`;
  let portfolio = known.get(name);
  if (portfolio === undefined) {
    const records = behaviourOf(platform)
      .portfolio()
      .filter((record) => record.entityType === entityType);
    portfolio = new Map(records.map((record) => [idOf(platform, record), record]));
    known.set(name, portfolio);
  }
  return portfolio;
}

/** The native ID that a platform's record shows. */
export function idOf(
  platform: PlatformName,
  { entityType, variant, payload }: Pick<PortfolioRecord, 'entityType' | 'variant' | 'payload'>,
): string {
  const { id } = mappingOf(platform, entityType, { variant }).options;
  const wire = valueAt(payload, id.path.split('.'));
  const native = wire === undefined ? null : id.decode(wire);
  if (native === null) throw new Error(`A ${entityType} of the ${platform} sandbox has no ID`);
  return native;
}
