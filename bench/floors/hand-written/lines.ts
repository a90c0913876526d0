import { stringifyJson, type JsonObject, type JsonValue } from '@app/mapper';
import { hash } from 'node:crypto';
import { objectAt, readDecimal, readId, readInteger, readMoney, readText, Taken } from './reading';
import { writeCode, writeDecimal, writeMoney, writeText, Written } from './writing';

/** The lines of a commitment, and what each holds beyond its canonical members. */
export interface ReadLines {
  readonly lines: readonly JsonObject[];
  readonly rests: readonly JsonObject[];
}

/** Reads lines; undefined where there is no list, or a line that does not fit. */
export function readLines(
  taken: Taken,
  native: JsonValue | undefined,
  currency: string | undefined,
): ReadLines | undefined {
  if (!Array.isArray(native)) return undefined;
  const lines: JsonObject[] = [];
  const rests: JsonObject[] = [];
  for (const [index, line] of (native as readonly JsonValue[]).entries()) {
    const object = objectAt(line);
    if (object === undefined) {
      taken.unfit(`line_items[${index}]`, 'expected an object', line);
      return undefined;
    }
    const read = new Taken();
    const { position, description, quantity, unit_cost, uom, amount, wbs_code, ...fields } = object;
    const { flat_code, ...code } = objectAt(wbs_code) ?? {};
    const id = readId(read, fields['id'], 'id');
    if (id !== undefined) read.data['id'] = id;
    readInteger(read, 'position', position, 'position');
    readText(read, 'description', description, 'description');
    readNumber(read, 'quantity', quantity, 'quantity');
    readNumber(read, 'unit_price', unit_cost, 'unit_cost');
    readText(read, 'uom', uom, 'uom');
    readMoney(read, 'amount', amount, currency, 'amount');
    readText(read, 'budget_code', flat_code, 'wbs_code.flat_code');
    for (const { path, problem, native: value } of read.issues) {
      taken.unfit(`line_items[${index}].${path}`, problem, value);
      return undefined;
    }
    const rest: Record<string, JsonValue> = fields;
    if (objectAt(wbs_code) === undefined ? wbs_code !== undefined : Object.keys(code).length > 0) {
      rest['wbs_code'] = objectAt(wbs_code) === undefined ? (wbs_code ?? null) : code;
    }
    lines.push(read.data);
    rests.push({
      fields: rest,
      ...(read.literals !== undefined && { literals: read.literals }),
      of: markOf(read.data),
    });
  }
  return { lines, rests };
}

/** The digest by which a line is recognised on the way back: of its members in the order of the mapping, without its ID. */
function markOf(data: JsonObject): string {
  const said = [null, ...MEMBERS.map((member) => data[member] ?? null)];
  return hash('sha256', stringifyJson(said), 'hex').slice(0, 16);
}

const MEMBERS = ['position', 'description', 'quantity', 'unit_price', 'uom', 'amount', 'budget_code'];

function readNumber(read: Taken, field: string, native: JsonValue | undefined, path: string): void {
  const text = readDecimal(read, field, native, path);
  if (text !== undefined && text !== native) read.spelt(path, native ?? null);
}

/** Writes lines as platform_b has them, whose positions count in steps of ten thousand. */
export function writeLines(
  written: Written,
  lines: readonly JsonObject[],
  currency: string | undefined,
): void {
  written.payload['salesOrderLines'] = lines.map((line) => {
    const one = new Written();
    const position = line['position'];
    if (position !== undefined) one.payload['sequence'] = Number(position ?? 0) * 10_000;
    writeText(one, 'description', line['description'], 'description', 100);
    writeDecimal(one, 'quantity', line['quantity']);
    writeDecimal(one, 'unitPrice', line['unit_price']);
    writeCode(one, 'unitOfMeasureCode', line['uom'], 'uom', 10);
    writeMoney(one, 'netAmount', line['amount'], 'amount', currency);
    writeCode(one, 'lineObjectNumber', line['budget_code'], 'budget_code', 20);
    written.issues.push(...one.issues);
    return one.payload;
  });
}
