import { isJsonObject, ownMember } from '@app/mapper';
import type { SourceRecord } from '../../connector';
import { platformErrorOf } from '../../live/transport/result-error';
import { withTextIds } from '../wire/ids';
import { NotReadable } from '../wire/read-page';
import { contractKinds, ofCompany, ofProject, paths } from '../wire/resources';
import type { Query, Session } from '../wire/session';
import type { Ref } from './find-record';
import type { Parents } from './parents-cache';

/**
 * A record by its own address, for one that lists did not have. They leave out what the account may not see and say nothing
 * about it; a record that is gone is answered with 404.
 *
 * @param parents what it stands under; undefined for records of the company
 * @returns as the platform shows a single record, which is not as lists do; undefined when it says that there is none
 * @throws NotReadable when it refuses to say; PlatformError
 */
export async function showRecord(
  session: Session,
  ref: Ref,
  parents: Parents | undefined,
): Promise<SourceRecord | undefined> {
  for (const [path, query] of addressesOf(session, ref, parents)) {
    const result = await session.get(session.address(`${path}/${encodeURIComponent(ref.platformId)}`, query));
    if (result.kind !== 'answered') throw platformErrorOf(session.connection.platform, result);
    const { response } = result;
    if (response.status === 404) continue;
    if (response.status === 403) throw new NotReadable(403);
    const body = response.json();
    if (!response.ok || body.kind !== 'json' || !isJsonObject(body.value)) {
      throw platformErrorOf(session.connection.platform, result);
    }
    if ((ownMember(body.value, 'deleted_at') ?? null) !== null) continue;
    return { entityType: ref.entityType, variant: ref.variant, payload: withTextIds(body.value) };
  }
  return undefined;
}

function addressesOf(
  session: Session,
  { entityType, variant }: Ref,
  parents: Parents | undefined,
): readonly (readonly [path: string, query: Query])[] {
  if (entityType === 'project') return [[paths.projects, ofCompany(session)]];
  if (entityType === 'customer') return [[paths.vendors, ofCompany(session)]];
  if (parents === undefined) return [];
  const project = ofProject(parents.project);
  switch (entityType) {
    case 'contract':
      return contractKinds
        .filter((kind) => variant === null || variant === kind.variant)
        .map(({ path }) => [path, project] as const);
    case 'invoice':
      return [[paths.requisitions, project]];
    case 'payment':
      return parents.contract === undefined
        ? []
        : [[paths.payments, [...project, ['contract_id', parents.contract]]]];
  }
}
