import { companyWide } from '../wire/company-wide';
import { compareIds, idText } from '../wire/ids';
import { listAt, readWhole } from '../wire/list';
import { ofCompany, paths, PROJECTS_PER_PAGE } from '../wire/resources';
import type { Session } from '../wire/session';

/** The projects that a reading covers. */
export interface VisibleProjects {
  /** By ID, ascending. */
  readonly ids: readonly string[];
  /** Projects that the settings name and the account does not see. */
  readonly unseen: readonly string[];
  readonly whole: boolean;
}

/**
 * Lists the projects that the account sees, including inactive ones. If the settings name projects, only those are
 * listed.
 *
 * @throws PlatformError
 */
export async function visibleProjects(session: Session): Promise<VisibleProjects> {
  const query = [...ofCompany(session), ['filters[by_status]', 'All'], ['view', 'compact']] as const;
  const first = listAt(session, paths.projectList, query, PROJECTS_PER_PAGE);
  const { rows, whole } = await companyWide(session, readWhole(session, first));
  const ids = rows.flatMap((row) => idText(row['id']) ?? []);
  const seen = new Set(ids);
  const { projects } = session.settings;
  const wanted = projects === undefined ? ids : ids.filter((id) => projects.includes(id));
  return {
    ids: wanted.sort(compareIds),
    unseen: projects?.filter((id) => !seen.has(id)) ?? [],
    whole,
  };
}
