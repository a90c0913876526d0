import { isJsonObject, ownMember } from '@app/mapper';
import type { SourceRecord } from '../../connector';
import { platformErrorOf } from '../../live/transport/result-error';
import { gatewayNotFound } from '../wire/gateway-not-found';
import { withTextIds } from '../wire/ids';
import { NotReadable } from '../wire/read-page';
import { contractKinds, ofCompany, ofProject, paths } from '../wire/resources';
import { addressOf, type Query, type Session } from '../wire/session';
import type { Ref } from './find-record';
import type { Parents } from './parents-cache';

/**
 * A record by its own address, for a record that the lists did not contain. Lists silently leave out what the account
 * may not see. The address of a deleted record returns 404.
 *
 * @param parents the parents of the record; undefined for records of the company
 * @returns the platform's single-record form, which differs from the form of lists; undefined if the platform reports
 *   that the record does not exist
 * @throws NotReadable if the platform refuses access; PlatformError
 */
export async function showRecord(
  session: Session,
  ref: Ref,
  parents: Parents | undefined,
): Promise<SourceRecord | undefined> {
  for (const address of recordAddresses(session.settings, ref, parents)) {
    const result = await session.get(address);
    const failure = gatewayNotFound(session.connection.platform, result);
    if (failure !== undefined) throw failure;
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

/**
 * The addresses of a record in the API. A contract without a known variant has one for each variant; a record without known
 * parents has none, unless it is one of the company.
 */
export function recordAddresses(
  settings: Session['settings'],
  ref: Ref,
  parents: Parents | undefined,
): readonly string[] {
  return placesOf(settings, ref, parents).map(([path, query]) =>
    addressOf(settings, `${path}/${encodeURIComponent(ref.platformId)}`, query),
  );
}

function placesOf(
  settings: Session['settings'],
  { entityType, variant }: Ref,
  parents: Parents | undefined,
): readonly (readonly [path: string, query: Query])[] {
  if (entityType === 'project') return [[paths.projects, ofCompany({ settings })]];
  if (entityType === 'customer') return [[paths.vendors, ofCompany({ settings })]];
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
