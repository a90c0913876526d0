import { AbsentMoveRow } from './absent-move.entity';
import { ApiKeyRow } from './api-key.entity';
import { CanonicalAliasRow } from './canonical-alias.entity';
import { CanonicalObjectRow } from './canonical-object.entity';
import { ChangeRow } from './change.entity';
import { ComparisonStateRow } from './comparison-state.entity';
import { ConnectionRow } from './connection.entity';
import { CustomerTermRow } from './customer-term.entity';
import { CustomerRow } from './customer.entity';
import { DueComparisonRow } from './due-comparison.entity';
import { ExchangeRateRow } from './exchange-rate.entity';
import { LiveConnectionRow } from './live-connection.entity';
import { OutboxCommandRow } from './outbox-command.entity';
import { OutboxDecisionRow } from './outbox-decision.entity';
import { PlatformRecordRow } from './platform-record.entity';
import { PlatformTokenRow } from './platform-token.entity';
import { PropagationRow } from './propagation.entity';
import { ReconciliationDecisionRow } from './reconciliation-decision.entity';
import { SandboxRecordRow } from './sandbox-record.entity';
import { StaleComparisonRow } from './stale-comparison.entity';
import { StagedMergeRow } from './staged-merge.entity';
import { StagedPlacementRow } from './staged-placement.entity';
import { StagedRecordRow } from './staged-record.entity';
import { StagedSightingRow } from './staged-sighting.entity';
import { SyncCheckpointRow } from './sync-checkpoint.entity';
import { SyncCursorRow } from './sync-cursor.entity';
import { SyncRunRow } from './sync-run.entity';
import { NamedRecordRow } from './named-record.entity';
import { SyncScheduleRow } from './sync-schedule.entity';
import { WebhookScheduleRow } from './webhook-schedule.entity';
import { WebhookSubscriptionRow } from './webhook-subscription.entity';

/** The entities: tables whose rows the service also handles one by one. A test compares them with the migrations. */
export const ENTITIES = [
  CustomerRow,
  ApiKeyRow,
  ConnectionRow,
  LiveConnectionRow,
  PlatformTokenRow,
  CanonicalObjectRow,
  CanonicalAliasRow,
  PlatformRecordRow,
  AbsentMoveRow,
  ChangeRow,
  ComparisonStateRow,
  StaleComparisonRow,
  DueComparisonRow,
  ExchangeRateRow,
  CustomerTermRow,
  PropagationRow,
  ReconciliationDecisionRow,
  SandboxRecordRow,
  OutboxCommandRow,
  OutboxDecisionRow,
  SyncRunRow,
  SyncCheckpointRow,
  SyncCursorRow,
  NamedRecordRow,
  SyncScheduleRow,
  StagedRecordRow,
  StagedSightingRow,
  StagedPlacementRow,
  StagedMergeRow,
  WebhookSubscriptionRow,
  WebhookScheduleRow,
];

/** Tables that only SQL over sets of rows reads and writes. The migrations alone describe them. */
export const TABLES_OF_SETS = [
  'case_notes',
  'case_reviews',
  'case_versions',
  'column_fills',
  'comparison_cases',
  'comparison_marks',
  'comparison_versions',
  'comparisons',
  'connection_currencies',
  'deleted_records',
  'extra_versions',
  'history_horizons',
  'idempotency_keys',
  'platform_gates',
  'rate_limit_windows',
  'record_versions',
  'storage_usage',
] as const;
