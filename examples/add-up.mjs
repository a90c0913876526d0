#!/usr/bin/env node
/**
 * Adds up a statement from the exported CSV files alone: needs Node and nothing else, and calculates with whole numbers.
 *
 *     node add-up.mjs statement.csv cases.csv accepted.csv a-payments.csv b-payments.csv …
 *
 * The files, in any order: one statement with its head, the open and the accepted cases with the same parameters, and the
 * records of both platforms of each type. All of them have to be of one moment (`as_of`).
 *
 * For each type with amounts it prints each line as the statement has it, as the records give it, and as the cases give it.
 * Exit code 0: everything foots. 1: something does not. 2: the files are not the ones that it needs.
 */
import { readFileSync } from 'node:fs';

/** The largest amount of the service, in minor units. A record whose amount converts to more is in no sum. */
const MOST = 2n ** 53n - 1n;

function groupedBy(rows, name) {
  const groups = new Map();
  for (const row of rows) {
    const group = groups.get(row[name]);
    if (group === undefined) groups.set(row[name], [row]);
    else group.push(row);
  }
  return groups;
}

const isSet = (value) => value !== undefined && value !== '';

class WrongFiles extends Error {}

// Reading the files.

/** The rows of a CSV text (RFC 4180). An apostrophe in front of a text guards it from spreadsheets and is not part of it. */
function rowsOf(text) {
  const rows = [];
  let row = [];
  const cells = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/y;
  cells.lastIndex = text.startsWith('\ufeff') ? 1 : 0;
  while (cells.lastIndex < text.length) {
    const found = cells.exec(text);
    if (found === null) throw new WrongFiles('A file is no CSV');
    const [, cell, end] = found;
    const value = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
    row.push(value.startsWith("'") ? value.slice(1) : value);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** A file: the lines of its head, if it has one, and its rows by the names of their columns. */
function readTable(path) {
  const rows = rowsOf(readFileSync(path, 'utf8'));
  const hasHead = rows[0]?.[0] === 'file';
  const behind = hasHead ? rows.findIndex((row) => row.length === 1 && row[0] === '') : -1;
  if (hasHead && behind === -1) throw new WrongFiles(`${path} ends within its head`);
  const [columns = [], ...body] = rows.slice(behind + 1);
  for (const row of body) {
    if (row.length !== columns.length)
      throw new WrongFiles(`${path}: a row has ${row.length} cells, and there are ${columns.length} columns`);
  }
  return {
    path,
    head: hasHead ? rows.slice(0, behind) : undefined,
    columns,
    rows: body.map((row) => Object.fromEntries(columns.map((name, place) => [name, row[place]]))),
  };
}

function readTables(paths) {
  const statements = [];
  const cases = [];
  const records = [];
  for (const path of paths) {
    const table = readTable(path);
    const has = (name) => table.columns.includes(name);
    if (has('figure')) statements.push(table);
    else if (has('difference')) cases.push(table);
    else if (has('native_id')) records.push(table);
    else throw new WrongFiles(`${path} is no statement, no cases and no records`);
  }
  const [statement, another] = statements;
  if (statement === undefined || another !== undefined) throw new WrongFiles('One statement is needed');
  if (statement.head === undefined)
    throw new WrongFiles('The statement is needed with its head: it has currency and rates');
  return { statement, cases, records };
}

/** What a head says under a name; undefined without such a line. */
const said = (head, name) => head?.find(([first]) => first === name)?.[1];

function scopeOf({ head, rows }) {
  const platforms = said(head, 'platforms')?.split(' to ');
  const currency = said(head, 'currency');
  const amount = rows.find((row) => row.currency === currency)?.amount;
  if (platforms?.length !== 2 || currency === undefined || amount === undefined)
    throw new WrongFiles('The statement has no amounts, or its head no platforms and no currency');
  return {
    platforms,
    currency,
    places: (amount.split('.')[1] ?? '').length,
    through: said(head, 'through'),
    project: said(head, 'project'),
    asOf: said(head, 'as of'),
    rates: new Map(head.filter(([name]) => name === 'rate').map(([, pair, words]) => [pair, words])),
  };
}

// Calculating.

/** A decimal text as a fraction of whole numbers. */
function fractionOf(decimal) {
  const [, sign, whole, part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  if (whole === undefined) throw new WrongFiles(`"${decimal}" is no amount`);
  return { top: BigInt(`${sign}${whole}${part}`), bottom: 10n ** BigInt(part.length) };
}

/** Rounds half to even. */
function rounded({ top, bottom }) {
  const size = top < 0n ? -top : top;
  const twice = 2n * (size % bottom);
  const isUp = twice > bottom || (twice === bottom && (size / bottom) % 2n === 1n);
  const result = size / bottom + (isUp ? 1n : 0n);
  return top < 0n ? -result : result;
}

/** An amount in minor units of the statement's currency: its quotes one after the other, rounded once; or undefined. */
function converted({ amount, currency: own }, { currency, places, rates }) {
  let { top, bottom } = fractionOf(amount);
  let now = own;
  if (own !== currency) {
    for (const quote of rates.get(`${own} to ${currency}`)?.split('; ') ?? []) {
      const [, one, rate, other] = /^1 ([A-Z]{3}) = (\d+(?:\.\d+)?) ([A-Z]{3})$/.exec(quote) ?? [];
      if (one === undefined) throw new WrongFiles(`"${quote}" is no rate`);
      const by = fractionOf(rate);
      if (now === one) [top, bottom, now] = [top * by.top, bottom * by.bottom, other];
      else if (now === other) [top, bottom, now] = [top * by.bottom, bottom * by.top, one];
      else throw new WrongFiles(`The rate "${quote}" does not lead on from ${now}`);
    }
    if (now !== currency) return undefined;
  }
  const units = rounded({ top: top * 10n ** BigInt(places), bottom });
  return units <= MOST && units >= -MOST ? units : undefined;
}

/** Minor units as decimal text. */
function shown(units, places) {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
  return units < 0n ? `-${text}` : text;
}

// The lines of a type, as records and cases give them.

/** The cases of an object, and what they say about it between the two platforms. */
function casesOf(rows, [left, right]) {
  const isOfBoth = ({ records }) => records.startsWith(`${left} `) && records.includes(`; ${right} `);
  // Two amounts may be equal although only one of them has a rate: at the rate between them, or because both are zero.
  const isUntold = (one) => isOfBoth(one) && (isSet(one.values) || isSet(one.problem));
  return {
    all: rows,
    alone: rows.find(({ kind }) => kind === 'only_on' || kind === 'ambiguous'),
    amounts: rows.filter((one) => one.field === 'amount' && one.kind !== 'other_project' && isOfBoth(one)),
    projects: rows.filter(({ kind }) => kind === 'other_project'),
    differ: rows.some(
      (one) =>
        one.kind === 'disagreement' ||
        one.kind === 'other_project' ||
        (one.kind === 'not_comparable' && isUntold(one)),
    ),
  };
}

const isAccepted = (one) => one?.state === 'accepted';

/**
 * The rows of an object in the statement: its records that count together. A record dated after the cut-off stands alone, and
 * so does the other one then.
 */
function statedRows({ left, right }, { project, through }) {
  const isIn = (record) => record !== undefined && (project === undefined || record.project_id === project);
  const isAfter = (record) =>
    through !== undefined && isSet(record?.document_date) && record.document_date > through;
  const [onLeft, onRight] = [isIn(left) ? left : undefined, isIn(right) ? right : undefined];
  if (!isAfter(left) && !isAfter(right)) {
    const isLinked = left !== undefined && right !== undefined;
    return onLeft || onRight ? [{ left: onLeft, right: onRight, isLinked }] : [];
  }
  return [
    ...(onLeft ? [{ left, right: undefined, isAfter: isAfter(left) }] : []),
    ...(onRight ? [{ left: undefined, right, isAfter: isAfter(right) }] : []),
  ];
}

/** The figure of a row's difference, whether it is accepted, and the row's state; a row without a difference has no figure. */
function judged(row, cases, { platforms, project }) {
  const [left, right] = platforms;
  const side = row.left === undefined ? right : left;
  if (row.isAfter) return { line: `dated_after_${side}` };
  const told = [row.left, row.right].filter((record) => isSet(record?.amount));
  const isUnconverted = told.some(({ units }) => units === undefined);
  const lineOr = (line) => (told.length === 0 ? undefined : isUnconverted ? 'not_comparable' : line);
  if (!row.isLinked) {
    const state = cases.alone?.kind === 'ambiguous' ? 'ambiguous' : 'only_on';
    const line = lineOr(state === 'ambiguous' ? state : `only_on_${side}`);
    return { line, state, side, isAccepted: isAccepted(cases.alone) };
  }
  const state = cases.differ ? 'disagree' : 'agree';
  if (row.left === undefined || row.right === undefined) {
    const own = cases.projects.find((one) => one.project_id === project);
    return { line: lineOr('other_project'), state, isAccepted: isAccepted(own) };
  }
  return { line: lineOr(lineOfBoth(row, told, cases)), state, isAccepted: cases.amounts.some(isAccepted) };
}

/** Of two records in the statement: cases say why their amounts differ; without a case they are equal at the rate. */
function lineOfBoth({ left, right }, told, { amounts }) {
  const kinds = amounts.map(({ kind }) => kind);
  if (kinds.includes('not_comparable')) return 'not_comparable';
  if (told.length === 1) return 'no_amount';
  if (kinds.includes('disagreement')) return 'amounts_disagree';
  if (left.currency !== right.currency) return 'rounding';
  return left.units === right.units ? undefined : 'unexplained';
}

/** Counts and sums by name. */
class Tally {
  figures = new Map();

  add(name, count, units = 0n) {
    const known = this.figures.get(name) ?? { count: 0, units: 0n };
    this.figures.set(name, { count: known.count + count, units: known.units + units });
  }

  get(name) {
    return this.figures.get(name) ?? { count: 0, units: 0n };
  }
}

/** The figures of a type from its records, where the cases say which amounts are known to differ. */
function fromRecords(records, casesByObject, scope) {
  const tally = new Tally();
  const [left, right] = scope.platforms;
  const objects = new Map();
  for (const record of records) {
    const units = isSet(record.amount) ? converted(record, scope) : undefined;
    const place = record.platform === left ? 'left' : record.platform === right ? 'right' : undefined;
    if (place === undefined) continue;
    const object = objects.get(record.canonical_id) ?? {};
    objects.set(record.canonical_id, { ...object, [place]: { ...record, units } });
  }
  for (const [id, object] of objects) {
    const cases = casesOf(casesByObject.get(id) ?? [], scope.platforms);
    for (const row of statedRows(object, scope)) {
      for (const [name, record] of [
        ['from', row.left],
        ['to', row.right],
      ]) {
        if (record === undefined) continue;
        if (!isSet(record.amount)) tally.add(`totals.${name}.without_amount`, 1);
        else if (record.units !== undefined) tally.add(`totals.${name}`, 1, record.units);
        else tally.add(`totals.outside ${record.platform} ${record.currency}`, 1);
      }
      const { line, state, side, isAccepted: isKnown } = judged(row, cases, scope);
      if (line !== undefined) {
        const difference = (row.right?.units ?? 0n) - (row.left?.units ?? 0n);
        const count = line === 'rounding' && difference === 0n ? 0 : 1;
        tally.add(`totals.lines.${line}`, count, difference);
        if (isKnown === true) tally.add(`totals.lines.${line}.accepted`, count, difference);
      }
      if (state !== undefined) tally.add(`counts.${state}${state === 'only_on' ? ` ${side}` : ''}`, 1);
      if (state === undefined || state === 'agree') continue;
      if (cases.all.length > 0 && cases.all.every(isAccepted)) tally.add('counts.accepted', 1);
    }
  }
  return tally;
}

/** The lines from the differences of cases; undefined where cases state them in another currency. */
function fromCases(cases, scope) {
  const tally = new Tally();
  const own = cases.filter((one) => isSet(one.difference));
  if (own.some((one) => one.currency !== scope.currency)) return undefined;
  for (const one of own) {
    const isOfAmount = one.field === '' || one.field === 'amount' || one.kind === 'other_project';
    if (!isOfAmount) continue;
    const [left, right] = scope.platforms;
    const line = {
      only_on: `only_on_${one.missing_on === right ? left : right}`,
      disagreement: 'amounts_disagree',
      unreadable: 'no_amount',
    }[one.kind];
    const units = converted({ amount: one.difference, currency: one.currency }, scope);
    tally.add(`totals.lines.${line ?? one.kind}`, 1, units);
    if (isAccepted(one)) tally.add(`totals.lines.${line ?? one.kind}.accepted`, 1, units);
  }
  return tally;
}

// Comparing.

/** The name of a figure of the statement. Figures that the statement has for each platform have it at the end. */
function nameOf({ figure, platform, currency }) {
  if (figure === 'counts.only_on') return `${figure} ${platform}`;
  return figure === 'totals.outside' ? `${figure} ${platform} ${currency}` : figure;
}

/** Whether files can tell a figure: ages need other times, and records that are gone are in no file. */
function isTold(figure, { project }) {
  if (figure.startsWith('ages.') || figure === 'counts.deleted') return false;
  // A project's list has not all cases of an object that belongs to two projects.
  return figure !== 'counts.accepted' || project === undefined;
}

/** Compares a type of the statement with its records and cases. @returns what to print, and whether all of it foots */
function checked(type, rows, records, cases, scope) {
  const { places, currency } = scope;
  const byObject = groupedBy(cases, 'canonical_id');
  const [counted, differences] = [fromRecords(records, byObject, scope), fromCases(cases, scope)];
  const lines = [];
  let foots = true;
  const compare = (words, stated, found) => {
    const isEqual = found.every((one) => one === stated);
    foots &&= isEqual;
    lines.push([words, stated, ...found, isEqual ? 'foots' : 'DOES NOT FOOT']);
  };
  const textOf = ({ count, units }, hasAmount) =>
    hasAmount ? `${count} / ${shown(units, places)}` : String(count);
  const unseen = new Set(counted.figures.keys());
  const steps = new Tally();
  for (const row of rows.filter(({ figure }) => isTold(figure, scope))) {
    const name = nameOf(row);
    unseen.delete(name);
    const isSum = isSet(row.amount) && row.currency === currency && row.figure !== 'totals.outside';
    const units = isSum ? converted(row, scope) : 0n;
    const isLine = row.figure.startsWith('totals.lines.');
    if (isLine && !row.figure.endsWith('.accepted')) steps.add('lines', 1, units);
    if (row.figure === 'totals.from' || row.figure === 'totals.to') steps.add(row.figure, 1, units);
    const words = isSet(row.platform) ? `${row.line}, ${row.platform}` : row.line;
    compare(words, textOf({ count: Number(row.count), units }, isSum), [textOf(counted.get(name), isSum)]);
    const isOfCases = isLine && !/\.(?:rounding|dated_after_.*)(?:\.accepted)?$/.test(row.figure);
    if (isOfCases && differences !== undefined)
      compare('  by its cases', shown(units, places), [shown(differences.get(name).units, places)]);
  }
  for (const name of unseen) {
    if (counted.get(name).count > 0 && isTold(name, scope))
      compare(`${name}, not in the statement`, '', [textOf(counted.get(name), true)]);
  }
  const [first, second] = [steps.get('totals.from').units, steps.get('totals.to').units];
  compare('first total and all lines', shown(second, places), [
    shown(first + steps.get('lines').units, places),
  ]);
  return { title: `${type}, in ${currency}`, lines, foots };
}

function printed({ title, lines }) {
  const widths = [0, 1, 2].map((place) => Math.max(...lines.map((cells) => cells[place].length)));
  const table = lines.map(
    ([words, stated, found, verdict]) =>
      `  ${words.padEnd(widths[0])}  ${stated.padStart(widths[1])}  ${found.padStart(widths[2])}  ${verdict}`,
  );
  return [`${title}: statement, recomputed`, ...table, ''].join('\n');
}

/** Notes about an incomplete statement, and about files that do not belong together. */
function notesOf({ statement, cases, records }, scope) {
  const notes = said(statement.head, 'complete') === 'no' ? ['the statement is not complete'] : [];
  for (const { path, head } of [...cases, ...records]) {
    const asOf = said(head, 'as of');
    if (isSet(asOf) && asOf !== scope.asOf)
      notes.push(`${path} is of ${asOf}, the statement of ${scope.asOf}`);
  }
  for (const { path, head } of cases) {
    if (head === undefined) continue;
    for (const name of ['through', 'project']) {
      if (said(head, name) !== scope[name]) notes.push(`${path} has not the same ${name} as the statement`);
    }
  }
  return notes;
}

function main(paths) {
  const tables = readTables(paths);
  const { statement } = tables;
  const scope = scopeOf(statement);
  for (const note of notesOf(tables, scope)) console.log(`note: ${note}`);
  const rowsIn = (all) => all.flatMap(({ rows }) => rows);
  const known = new Map(rowsIn(tables.cases).map((one) => [one.id, one]));
  const cases = [...known.values()].filter(({ state }) => state !== 'closed');
  const records = rowsIn(tables.records);
  let foots = true;
  for (const [type, rows] of groupedBy(statement.rows, 'entity_type')) {
    // Types without amounts have nothing to add up.
    if (!rows.some(({ figure }) => figure === 'totals.from')) continue;
    const ofType = (one) => one.entity_type === type;
    const result = checked(type, rows, records.filter(ofType), cases.filter(ofType), scope);
    console.log(printed(result));
    foots &&= result.foots;
  }
  console.log(foots ? 'Everything foots.' : 'Not everything foots.');
  return foots ? 0 : 1;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof WrongFiles ? error.message : error);
  process.exitCode = 2;
}
