import type { JsonObject, StoredEntityType } from '@app/mapper';
import type { PortfolioRecord } from '@app/behaviour';

const of = (entityType: StoredEntityType, payloads: readonly JsonObject[]): readonly PortfolioRecord[] =>
  payloads.map((payload) => ({ entityType, variant: null, payload }));

/**
 * Records that exist in the ledger only, and records of objects that the built-in portfolios have on one or both
 * platforms. Amounts are equal at the official pegs.
 */
export const ledgerPortfolio: readonly PortfolioRecord[] = [
  ...of('project', [
    { key: 'J1', code: 'LEX-001', title: 'Lusail Boulevard Tower' },
    { key: 'J2', code: 'awc-005', title: 'Al Wakrah Cold Store' },
    { key: 'J3', code: 'YAS-006', title: 'Yas Bay Promenade Canopies' },
    { key: 'J4', code: 'WBM-002', title: 'West Bay Medical Centre Fit-Out' },
    { key: 'J5', code: 'KSR-004', title: 'King Salman Road Office Campus' },
  ]),
  ...of('customer', [
    { key: 'P1', title: 'Doha Infrastructure', tax: { number: '5000104417' } },
    { key: 'P2', title: 'Only on the project platform', tax: { number: 'TAX-X' } },
    { key: 'P3', title: 'Saadiyat Tensile Structures LLC', tax: { number: '100876543200003' } },
    { key: 'P4', title: 'Al Rayyan MEP Services WLL' },
  ]),
  ...of('contract', [
    contract('K1', 'C-LEX-001', 'J1', 'P1', '31875000.00', 'SAR'),
    contract('K2', 'C-AWC-001', 'J2', 'P1', '22275000.00', 'SAR'),
    contract('K3', 'C-YAS-001', 'J3', 'P3', '4113200.00', 'AED'),
    // A key that occurs several times, so the project decides.
    contract('K4', 'SC-001', 'J4', 'P4', '4740000.00', 'SAR'),
    contract('K5', 'SC-001', 'J5', null, '8907750.00', 'SAR'),
    contract('K6', 'L-ONLY', 'J1', 'P1', '37500.00', 'SAR'),
  ]),
  ...of('invoice', [
    invoice('I1', 'INV-2025-0061', 'K1', 'J1', 'P1', '8032500.00'),
    invoice('I2', 'INV-2026-0082', 'K4', 'J4', 'P4', '624375.00'),
    invoice('I3', 'INV-2026-0078', null, 'J1', 'P1', '675000.00'),
    invoice('I4', 'INV-2025-0064', 'K4', 'J4', 'P4', '3543750.00'),
  ]),
  ...of('payment', [
    payment('Z1', 'CHK-2026-0101', 'I1', '6375000.00', 'Differs from the others'),
    payment('X1', 'CHK-2026-0096', 'I4', '1125000.00'),
    payment('Y1', 'TT-2026-0041', 'I4', '375000.00'),
    // It occurs twice, and nothing shows which one corresponds to the records of the other platforms.
    payment('A1', 'CHK-2026-0139', null, '1.00'),
    payment('A2', 'chk-2026-0139', null, '2.00'),
  ]),
];

function contract(
  key: string,
  code: string,
  project: string,
  party: string | null,
  sum: string,
  unit: string,
): JsonObject {
  return { key, code, project: { key: project }, party: { key: party }, sum, unit };
}

function invoice(
  key: string,
  code: string,
  contractKey: string | null,
  project: string,
  party: string,
  sum: string,
): JsonObject {
  return {
    key,
    code,
    contract: { key: contractKey },
    project: { key: project },
    party: { key: party },
    sum,
    unit: 'SAR',
  };
}

function payment(
  key: string,
  code: string,
  invoiceKey: string | null,
  sum: string,
  remark?: string,
): JsonObject {
  return { key, code, sum, invoice: { key: invoiceKey }, ...(remark !== undefined && { remark }) };
}
