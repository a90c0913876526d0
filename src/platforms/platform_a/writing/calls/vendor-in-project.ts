import { ownMember, type NativeChange } from '@app/mapper';
import type { CallResult, Done } from '../../../live/writing/send-result';
import { ownRefusal } from '../../wire/read-page';
import { idText } from '../../wire/ids';
import { paths } from '../../wire/resources';
import { placeOf } from '../fields/fields';
import { sendWrite } from './send';
import type { WriteContext } from '../write-context';

/** The ID by which a contract names its vendor. */
export type FoundVendor =
  /** Undefined if the vendor does not change, null if the change removes it. */
  { readonly status: 'found'; readonly id: string | null | undefined } | Exclude<CallResult, Done>;

/**
 * The ID that a project has for the vendor that changes name. A vendor that the project's directory does not have is
 * added to it: the platform takes no other.
 *
 * @throws PlatformError when the directory cannot be read
 */
export async function vendorInProject(
  work: WriteContext,
  project: string | undefined,
  changes: readonly NativeChange[],
): Promise<FoundVendor> {
  const { session, vendors, command, times } = work;
  const place = changes
    .map((change) => placeOf(command.entityType, change, command.platformId === null))
    .findLast(({ kind }) => kind === 'vendor');
  if (place?.kind !== 'vendor' || project === undefined) return { status: 'found', id: undefined };
  const { companyId } = place;
  if (companyId === undefined) return { status: 'found', id: null };
  try {
    const known = await vendors.projectIdOf(project, companyId);
    if (known !== undefined) return { status: 'found', id: known };
  } catch (error) {
    const reason = `the directory of project ${project} may not be read (${ownRefusal(error).why})`;
    return { status: 'rejected', reason };
  }
  const sent = await sendWrite(
    session,
    { method: 'POST', path: `${paths.projectVendors(project)}/${companyId}/actions/add`, body: {} },
    times,
  );
  if (sent.status === 'gone') {
    return { status: 'rejected', reason: `${session.connection.platform} has no vendor ${companyId}` };
  }
  if (sent.status === 'duplicate') return { ...sent, status: 'rejected' };
  if (sent.status !== 'done') return sent;
  const id = sent.body && idText(ownMember(sent.body, 'id'));
  if (id === undefined) return { status: 'uncertain' };
  vendors.added(project, { id, companyId });
  return { status: 'found', id };
}
