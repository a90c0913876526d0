import { ApiKeyRow } from './api-key.entity';
import { CanonicalObjectRow } from './canonical-object.entity';
import { CaseNoteRow } from './case-note.entity';
import { ConnectionRow } from './connection.entity';
import { CustomerTermRow } from './customer-term.entity';
import { CustomerRow } from './customer.entity';
import { ExchangeRateRow } from './exchange-rate.entity';
import { LiveConnectionRow } from './live-connection.entity';
import { OutboxDecisionRow } from './outbox-decision.entity';
import { PassthroughRequestRow } from './passthrough-request.entity';
import { PlatformRecordRow } from './platform-record.entity';
import { PropagationRow } from './propagation.entity';
import { ReconciliationDecisionRow } from './reconciliation-decision.entity';
import { SandboxRecordRow } from './sandbox-record.entity';
import { StatementSignoffRow } from './statement-signoff.entity';
import { StorageUsageRow } from './storage-usage.entity';
import { SyncCursorRow } from './sync-cursor.entity';
import { SyncRunRow } from './sync-run.entity';
import { SyncScheduleRow } from './sync-schedule.entity';
import { WebhookEndpointRow } from './webhook-endpoint.entity';
import { WebhookScheduleRow } from './webhook-schedule.entity';
import { WebhookSecretRow } from './webhook-secret.entity';
import { WebhookSubscriptionRow } from './webhook-subscription.entity';

/**
 * The entities: tables whose rows services read and write one by one, and `platform_records`. A test compares them with
 * the migrations.
 */
export const ENTITIES = [
  CustomerRow,
  ApiKeyRow,
  ConnectionRow,
  LiveConnectionRow,
  CanonicalObjectRow,
  PlatformRecordRow,
  ExchangeRateRow,
  CustomerTermRow,
  OutboxDecisionRow,
  PropagationRow,
  PassthroughRequestRow,
  SandboxRecordRow,
  ReconciliationDecisionRow,
  CaseNoteRow,
  StatementSignoffRow,
  WebhookScheduleRow,
  WebhookSubscriptionRow,
  WebhookEndpointRow,
  WebhookSecretRow,
  StorageUsageRow,
  SyncRunRow,
  SyncScheduleRow,
  SyncCursorRow,
];

/** Tables that only SQL reads and writes. They have no entity; the migrations alone describe them. */
export const TABLES_OF_FLOWS = [
  'absent_moves',
  'canonical_aliases',
  'case_counts',
  'case_reviews',
  'case_versions',
  'changes',
  'column_fills',
  'comparison_cases',
  'comparison_marks',
  'comparison_states',
  'comparison_versions',
  'comparisons',
  'connection_currencies',
  'deleted_records',
  'due_comparisons',
  'ended_aliases',
  'event_feeds',
  'events',
  'extra_versions',
  'field_readings',
  'history_horizons',
  'idempotency_keys',
  'kept_tallies',
  'named_records',
  'outbox_commands',
  'platform_rate_limiters',
  'platform_tokens',
  'rate_limit_windows',
  'record_versions',
  'staged_merges',
  'staged_placements',
  'staged_records',
  'staged_sightings',
  'stale_comparisons',
  'sync_checkpoints',
  'webhook_deliveries',
  'webhook_attempts',
] as const;
