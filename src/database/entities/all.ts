import { AbsentMoveRow } from './absent-move.entity';
import { ApiKeyRow } from './api-key.entity';
import { CanonicalAliasRow } from './canonical-alias.entity';
import { CanonicalObjectRow } from './canonical-object.entity';
import { ChangeRow } from './change.entity';
import { ComparisonCaseRow } from './comparison-case.entity';
import { ComparisonStateRow } from './comparison-state.entity';
import { ComparisonRow } from './comparison.entity';
import { ConnectionCurrencyRow } from './connection-currency.entity';
import { ConnectionRow } from './connection.entity';
import { CustomerTermRow } from './customer-term.entity';
import { CustomerRow } from './customer.entity';
import { DeletedRecordRow } from './deleted-record.entity';
import { DueComparisonRow } from './due-comparison.entity';
import { ExchangeRateRow } from './exchange-rate.entity';
import { ExtraVersionRow } from './extra-version.entity';
import { HistoryHorizonRow } from './history-horizon.entity';
import { IdempotencyKeyRow } from './idempotency-key.entity';
import { LiveConnectionRow } from './live-connection.entity';
import { OutboxCommandRow } from './outbox-command.entity';
import { OutboxDecisionRow } from './outbox-decision.entity';
import { PlatformGateRow } from './platform-gate.entity';
import { PlatformRecordRow } from './platform-record.entity';
import { PlatformTokenRow } from './platform-token.entity';
import { PropagationRow } from './propagation.entity';
import { RateLimitWindowRow } from './rate-limit-window.entity';
import { RecordVersionRow } from './record-version.entity';
import { ReconciliationDecisionRow } from './reconciliation-decision.entity';
import { SandboxRecordRow } from './sandbox-record.entity';
import { StaleComparisonRow } from './stale-comparison.entity';
import { StagedLinkRow } from './staged-link.entity';
import { StagedMergeRow } from './staged-merge.entity';
import { StagedPlacementRow } from './staged-placement.entity';
import { StagedRecordRow } from './staged-record.entity';
import { StagedSightingRow } from './staged-sighting.entity';
import { StorageUsageRow } from './storage-usage.entity';
import { SyncCheckpointRow } from './sync-checkpoint.entity';
import { SyncCursorRow } from './sync-cursor.entity';
import { SyncRunRow } from './sync-run.entity';
import { NamedRecordRow } from './named-record.entity';
import { SyncScheduleRow } from './sync-schedule.entity';
import { WebhookScheduleRow } from './webhook-schedule.entity';
import { WebhookSubscriptionRow } from './webhook-subscription.entity';

/** Every table of the service, except TypeORM's own list of migrations. */
export const ENTITIES = [
  CustomerRow,
  ApiKeyRow,
  ConnectionRow,
  ConnectionCurrencyRow,
  LiveConnectionRow,
  PlatformTokenRow,
  PlatformGateRow,
  CanonicalObjectRow,
  CanonicalAliasRow,
  PlatformRecordRow,
  DeletedRecordRow,
  AbsentMoveRow,
  ChangeRow,
  RecordVersionRow,
  ExtraVersionRow,
  HistoryHorizonRow,
  ComparisonStateRow,
  StaleComparisonRow,
  DueComparisonRow,
  ComparisonRow,
  ComparisonCaseRow,
  ExchangeRateRow,
  CustomerTermRow,
  PropagationRow,
  IdempotencyKeyRow,
  RateLimitWindowRow,
  ReconciliationDecisionRow,
  SandboxRecordRow,
  OutboxCommandRow,
  OutboxDecisionRow,
  SyncRunRow,
  StorageUsageRow,
  SyncCheckpointRow,
  SyncCursorRow,
  NamedRecordRow,
  SyncScheduleRow,
  StagedRecordRow,
  StagedSightingRow,
  StagedPlacementRow,
  StagedLinkRow,
  StagedMergeRow,
  WebhookSubscriptionRow,
  WebhookScheduleRow,
];
