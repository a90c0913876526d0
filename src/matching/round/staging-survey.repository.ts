import { storedEntityTypes, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import {
  referenceColumns,
  referenceFields,
  type ReferenceField,
} from '../../records/platform-records/record-columns';
import type { NamedBy } from './references.sql';
import { referencesOf, type StagedReading } from './matching-round';

/** Properties of the staged records of a run. */
export interface Survey {
  /** The types of which records were staged. */
  readonly types: ReadonlySet<StoredEntityType>;
  /** Whether a record was staged more than once. */
  readonly anyTwice: boolean;
  /**
   * The kinds of references that the staged records of each type contain. Parents that no record references this way
   * need not be read.
   */
  readonly namedBy: ReadonlyMap<StoredEntityType, NamedBy>;
}

type SurveyRow = { readonly entity_type: StoredEntityType; readonly twice: boolean } & {
  readonly [Field in ReferenceField as `${Field}_by_id` | `${Field}_by_key`]: boolean | null;
};

/** Scans the staged records of a run once. Their rows hold the payloads, so each scan is expensive. */
export async function surveyStaged(tx: CustomerTransaction, { runId }: StagedReading): Promise<Survey> {
  const rows = await tx.query<SurveyRow>(survey, [runId]);
  const ofType = new Map(rows.map((row) => [row.entity_type, row]));
  return {
    types: new Set(ofType.keys()),
    anyTwice: rows.some(({ twice }) => twice),
    namedBy: new Map(storedEntityTypes.map((type) => [type, namedByOf(type, ofType.get(type))])),
  };
}

function namedByOf(entityType: StoredEntityType, row: SurveyRow | undefined): NamedBy {
  return new Map(
    referencesOf[entityType].map((field) => [
      field,
      { id: row?.[`${field}_by_id`] === true, key: row?.[`${field}_by_key`] === true },
    ]),
  );
}

const kinds = referenceFields.flatMap((field) =>
  ['id', 'key'].map(
    (kind) => `bool_or(s.${referenceColumns[field].ref} like '${kind}:%') as ${field}_by_${kind}`,
  ),
);
const survey = `
  select s.entity_type, count(*) > count(distinct s.platform_id) as twice, ${kinds.join(', ')}
  from staged_records s where s.customer_id = $1 and s.run_id = $2 group by s.entity_type`;
