import { canonicalId } from '../../identity/canonical-id';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value';
import { stringifyJson } from '../../json/json-text';
import { allMappings, counterpartsOf } from '../../testing/all-mappings';
import { anyJson, unknownMembers } from '../../testing/json.arbitrary';
import { payloadOf } from '../../testing/payload.arbitrary';
import { fc } from '../../testing/property';
import { sandboxRecords } from '../../testing/sandbox-records';
import { customerId, metadataOf, previewed, rowsFor } from '../../testing/round-trip';
import { MappingError } from '../../mapping/mapping-error';
import type { Preview } from '../preview';
import type { LossReport, SourceLine, TargetLine } from './report-lines';

const journeys = allMappings.flatMap((one) =>
  [...counterpartsOf(one), one].map((other) => ({ name: `${one.name} to ${other.name}`, one, other })),
);

/** The path of each leaf, as the report writes it, with how many leaves have it. Written apart from the report's own. */
function leaves(value: JsonValue, path = '', found = new Map<string, number>()): Map<string, number> {
  const members: [string, JsonValue | undefined][] = isJsonArray(value)
    ? value.map((item) => [`${path}[]`, item])
    : isJsonObject(value)
      ? Object.entries(value).map(([name, member]) => [
          /^[\w$-]+$/.test(name)
            ? `${path}${path === '' ? '' : '.'}${name}`
            : `${path}[${JSON.stringify(name)}]`,
          member,
        ])
      : [];
  if (members.length === 0 && path !== '') found.set(path, (found.get(path) ?? 0) + 1);
  for (const [inner, member] of members) if (member !== undefined) leaves(member, inner, found);
  return found;
}

function counted(lines: readonly (SourceLine | TargetLine)[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { path, values = 1 } of lines) counts.set(path, (counts.get(path) ?? 0) + values);
  return counts;
}

function reportOf({ report }: Preview): LossReport {
  if (report === undefined) throw new Error('no report was made');
  return report;
}

const sorted = (counts: Map<string, number>) => [...counts].sort();

function expectWhole(payload: JsonObject, preview: Preview): void {
  const { source, target, values } = reportOf(preview);
  expect(sorted(counted(source))).toEqual(sorted(leaves(payload)));
  expect(sorted(counted(target))).toEqual(sorted(leaves(preview.payload)));
  const sum = (outcome: string) =>
    source.filter((line) => line.outcome === outcome).reduce((total, line) => total + (line.values ?? 1), 0);
  for (const [outcome, count] of Object.entries(values)) expect(count).toBe(sum(outcome));
  for (const { reason } of [...source, ...target]) expect(reason).not.toBe('');
}

describe.each(journeys)('the report of $name', ({ one, other }) => {
  const variant = one.variant ?? other.variant;
  const context: JsonObject = { report: true, ...(variant !== undefined && { commitmentType: variant }) };

  it('has a line for every leaf of both records', () => {
    fc.assert(
      fc.property(
        payloadOf(one, { portable: true }),
        unknownMembers,
        fc.constantFrom<JsonObject>({}, { targetCurrency: 'QAR' }),
        fc.boolean(),
        (payload, strange, conversion, knowsRows) => {
          const record = { ...strange, ...payload };
          const mappings: JsonObject = knowsRows ? { mappings: rowsFor(one, other, record) } : {};
          const there = previewed(one, other, record, { ...context, ...conversion, ...mappings });
          expectWhole(record, there);
          if (one.platform === other.platform) return;
          const back = previewed(other, one, there.payload, {
            ...context,
            ...mappings,
            provider_metadata: metadataOf(there),
          });
          expectWhole(there.payload, back);
        },
      ),
    );
  });

  it('says of nothing that it is shown where it is not, nor that it is lost where it is shown', () => {
    fc.assert(
      fc.property(payloadOf(one, { portable: true }), (payload) => {
        const preview = previewed(one, other, payload, context);
        const shown = leaves(preview.payload);
        const isShown = (path: string) =>
          [...shown.keys()].some(
            (leaf) => leaf === path || leaf.startsWith(`${path}[`) || leaf.startsWith(`${path}.`),
          );
        for (const { outcome, target_paths: paths = [], fields = [] } of reportOf(preview).source) {
          if (outcome === 'lost') expect(paths).toEqual([]);
          if (outcome !== 'lost' && fields.every((field) => !field.includes('[]'))) {
            for (const path of paths) expect(isShown(path)).toBe(true);
          }
        }
        const metadata = metadataOf(preview);
        const residue = isJsonObject(metadata) ? metadata[one.platform] : undefined;
        const fields =
          isJsonObject(residue) && isJsonObject(residue.fields) ? leaves(residue.fields) : new Map();
        for (const line of reportOf(preview).source) {
          if (line.outcome === 'kept' && !line.path.includes('[]')) expect(fields.has(line.path)).toBe(true);
        }
        const source = leaves(payload);
        for (const { source_paths: paths = [] } of reportOf(preview).target) {
          for (const path of paths.filter((one) => !one.includes('[]'))) {
            expect(
              [...source.keys()].some(
                (leaf) => leaf === path || leaf.startsWith(`${path}[`) || leaf.startsWith(`${path}.`),
              ),
            ).toBe(true);
          }
        }
      }),
    );
  });
});

describe('the report', () => {
  it.each(sandboxRecords)('of $name has a line for every leaf', ({ named, payload }) => {
    for (const other of counterpartsOf(named)) {
      const variant = named.variant ?? other.variant;
      const context = { report: true, ...(variant !== undefined && { commitmentType: variant }) };
      expectWhole(payload, previewed(named, other, payload, context));
    }
  });

  it('counts any JSON as kept aside', () => {
    const [payments] = allMappings.filter(({ name }) => name === 'platform_a payment');
    const [other] = payments === undefined ? [] : counterpartsOf(payments);
    if (payments === undefined || other === undefined) throw new Error('payments are on both platforms');
    fc.assert(
      fc.property(anyJson, (value) => {
        const record = { unknown: value };
        try {
          const preview = previewed(payments, other, record, { report: true });
          expectWhole(record, preview);
          for (const { outcome } of reportOf(preview).source) expect(outcome).toBe('kept');
        } catch (error) {
          if (!(error instanceof MappingError)) throw error;
        }
      }),
    );
  });

  const from = { platform: 'platform_a', entityType: 'payment' } as const;
  const to = { platform: 'platform_b' } as const;
  const payment: JsonObject = {
    id: 1823456,
    amount: '1700.00',
    status: 'paid',
    invoice_number: 'INV-1',
    requisition_id: 77,
    notes: 'wired',
    updated_at: '2026-01-05T08:00:00Z',
    origin_code: 'X',
    custom_fields: { '@odata.etag': 'a', tags: ['b', 'c', {}] },
  };

  it('names outcome, canonical field, target and reason', () => {
    const { source, target, values } = reportOf(previewed(from, to, payment, { report: true }));
    expect(source).toEqual([
      { path: 'id', outcome: 'kept', fields: ['external_ids'], reason: 'it is the native ID of the record' },
      {
        path: 'amount',
        outcome: 'mapped',
        fields: ['amount'],
        target_paths: ['amount', 'currencyCode'],
        reason: expect.any(String),
      },
      {
        path: 'status',
        outcome: 'lost',
        fields: ['status'],
        reason: 'every record of platform_b has another value',
      },
      {
        path: 'invoice_number',
        outcome: 'lost',
        fields: ['invoice_number', 'invoice_id'],
        reason: 'platform_b has no such field',
      },
      {
        path: 'requisition_id',
        outcome: 'lost',
        fields: ['invoice_id'],
        reason: expect.stringMatching(/mapping/),
      },
      {
        path: 'notes',
        outcome: 'mapped',
        fields: ['notes'],
        target_paths: ['comment'],
        reason: 'the target shows the same value',
      },
      { path: 'updated_at', outcome: 'lost', fields: ['updated_at'], reason: 'platform_b keeps its own' },
      { path: 'origin_code', outcome: 'kept', reason: 'it has no canonical field' },
      { path: 'custom_fields["@odata.etag"]', outcome: 'kept', reason: 'it has no canonical field' },
      { path: 'custom_fields.tags[]', values: 3, outcome: 'kept', reason: 'it has no canonical field' },
    ]);
    expect(target).toEqual([
      {
        path: 'amount',
        origin: 'mapped',
        fields: ['amount'],
        source_paths: ['amount'],
        reason: 'the source has the same value',
      },
      {
        path: 'currencyCode',
        origin: 'mapped',
        fields: ['amount'],
        source_paths: ['amount'],
        reason: expect.any(String),
      },
      {
        path: 'comment',
        origin: 'mapped',
        fields: ['notes'],
        source_paths: ['notes'],
        reason: 'the source has the same value',
      },
    ]);
    expect(values).toEqual({ mapped: 2, derived: 0, kept: 6, lost: 4 });
  });

  it('says what was converted, and which record is named by its own ID', () => {
    const invoice = previewed(from, to, payment).canonical.invoice_id;
    const { source, target } = reportOf(
      previewed(from, to, payment, {
        report: true,
        targetCurrency: 'QAR',
        mappings: [
          {
            canonical_id: invoice ?? '',
            platform: 'platform_b',
            platform_id: '5d115c9c-44e3-ea11-bb43-000d3a2feca1',
          },
        ],
      }),
    );
    expect(source).toContainEqual(
      expect.objectContaining({ path: 'amount', outcome: 'derived', reason: 'converted from USD to QAR' }),
    );
    expect(target).toContainEqual({
      path: 'appliesToInvoiceId',
      origin: 'derived',
      fields: ['invoice_id'],
      source_paths: ['requisition_id', 'invoice_number'],
      reason: 'a mapping names it on platform_b',
    });
  });

  const [orderA, orderB] = ['platform_a', 'platform_b'].map((platform) =>
    allMappings.find((named) => named.platform === platform && named.entityType === 'change_order'),
  );
  if (orderA === undefined || orderB === undefined) throw new Error('both platforms have change orders');
  const CONTRACT = 'b6f4017a-b749-ee11-ad0b-a1422c0f7f1f';

  it('says of a record that the target does not name that it is lost, and why', () => {
    const record = { number: '001', contract_id: 5 };
    const { source, target, values } = reportOf(previewed(orderA, orderB, record, { report: true }));
    expect(values).toEqual({ mapped: 1, derived: 0, kept: 0, lost: 1 });
    expect(source).toContainEqual({
      path: 'contract_id',
      outcome: 'lost',
      fields: ['contract_id'],
      reason: 'no mapping names the contract that is 5 on platform_a (contract_id)',
    });
    expect(target).toEqual([
      expect.objectContaining({ path: 'externalDocumentNumber', fields: ['number'], origin: 'mapped' }),
    ]);
    const id = canonicalId(customerId, 'contract', { kind: 'native', platform: 'platform_a', nativeId: '5' });
    const rows = [
      ['platform_a', '5'],
      ['platform_b', CONTRACT],
    ].map(([platform = '', native = '']) => ({ canonical_id: id, platform, platform_id: native }));
    const mapped = reportOf(previewed(orderA, orderB, record, { report: true, mappings: rows }));
    expect(mapped.source).toContainEqual(
      expect.objectContaining({
        path: 'contract_id',
        outcome: 'lost',
        reason: 'platform_b has no such field on this record',
      }),
    );
  });

  it('says that provider_metadata names the record where it does', () => {
    const there = previewed(orderB, orderA, { externalDocumentNumber: 'SC-001/CO-001' });
    const back = { ...there.payload, contract_id: 5 };
    const context = { report: true, provider_metadata: metadataOf(there) };
    expect(reportOf(previewed(orderA, orderB, back, context)).source).toContainEqual({
      path: 'contract_id',
      outcome: 'derived',
      fields: ['contract_id'],
      target_paths: ['externalDocumentNumber'],
      reason: 'context.provider_metadata names the record on the target',
    });
  });

  it('says of a time what day was made of it', () => {
    const record = {
      created_at: '2025-09-20T11:00:00Z',
      reviewed_at: '2025-10-03T15:00:00Z',
      status: 'approved',
    };
    const { source, target } = reportOf(previewed(orderA, orderB, record, { report: true }));
    expect(source).toContainEqual({
      path: 'created_at',
      outcome: 'derived',
      fields: ['created_at', 'document_date'],
      target_paths: ['documentDate'],
      reason: 'document_date follows from created_at',
    });
    expect(source).toContainEqual(expect.objectContaining({ path: 'reviewed_at', outcome: 'derived' }));
    expect(target).toContainEqual({
      path: 'acceptedDate',
      origin: 'derived',
      fields: ['approved_on'],
      source_paths: ['reviewed_at'],
      reason: 'approved_on follows from reviewed_at',
    });
    // An approval that did not happen is not made of the review.
    const rejected = { ...record, status: 'rejected' };
    expect(reportOf(previewed(orderA, orderB, rejected, { report: true })).source).toContainEqual(
      expect.objectContaining({ path: 'reviewed_at', outcome: 'lost' }),
    );
  });

  it('takes the lines of a list together', () => {
    const lines = Array.from({ length: 40 }, (_, position) => ({
      id: position,
      position,
      description: 'Piling',
      amount: '1.00',
      wbs_code: { flat_code: 'A', extra: 1 },
      tax_code: null,
    }));
    const contract = { ...from, entityType: 'contract' } as const;
    const { source } = reportOf(
      previewed(contract, to, { line_items: lines }, { report: true, commitmentType: 'WorkOrderContract' }),
    );
    expect(source).toHaveLength(7);
    expect(source).toContainEqual({
      path: 'line_items[].amount',
      values: 40,
      outcome: 'mapped',
      fields: ['lines[].amount'],
      target_paths: ['salesOrderLines[].netAmount'],
      reason: 'the target shows the same value',
    });
    expect(source).toContainEqual(
      expect.objectContaining({
        path: 'line_items[].id',
        values: 40,
        outcome: 'lost',
        reason: 'platform_b keeps its own',
      }),
    );
    expect(source).toContainEqual(
      expect.objectContaining({ path: 'line_items[].wbs_code.extra', values: 40, outcome: 'kept' }),
    );
  });

  it('grows no faster than the record, however long its paths are', () => {
    const wide = (count: number): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, index]));
    let record: JsonObject = wide(2_000);
    for (let depth = 0; depth < 60; depth += 1) record = { ['n'.repeat(500)]: record };
    const preview = previewed(from, to, record, { report: true });
    expect(reportOf(preview).source).toEqual([expect.objectContaining({ values: 2_000, outcome: 'kept' })]);
    const flat = wide(5_000);
    expect(
      stringifyJson(reportOf(previewed(from, to, flat, { report: true })) as unknown as JsonValue).length,
    ).toBeLessThan(stringifyJson(flat).length * 10);
  });

  it('is made only when it is asked for', () => {
    expect(previewed(from, to, payment).report).toBeUndefined();
    expect(previewed(from, to, payment, { report: false }).report).toBeUndefined();
    expect(previewed(from, to, payment, { report: null }).report).toBeUndefined();
    expect(() => previewed(from, to, payment, { report: 'yes' })).toThrow(
      'context.report: expected true or false',
    );
  });

  it('of a record that stays on its platform says that all of it stays', () => {
    const { source, target } = reportOf(previewed(from, from, payment, { report: true }));
    for (const line of source) expect(line.target_paths).toContain(line.path);
    expect(source.filter(({ outcome }) => outcome === 'lost')).toEqual([]);
    expect(target.every(({ source_paths: paths, path }) => paths?.includes(path))).toBe(true);
  });
});
