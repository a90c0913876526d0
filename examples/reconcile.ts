/**
 * A month's end: both books from the first connect to a statement that foots, and one disagreement from its case to its end.
 *
 * Run it against a service that is up: `npm run example:reconcile`, or with another address in BASE_URL.
 */
import { ApiError, TranslationClient, type Statement } from '@app/client';
import { randomUUID } from 'node:crypto';

const platforms = ['platform_a', 'platform_b'] as const;
const decided_by = 'Amal, accounts payable';

/** Reconciles the sandboxes of a new demo session and prints what it sees. */
export async function reconcile(baseUrl: string, print: (line: string) => void): Promise<void> {
  const visitor = new TranslationClient({ baseUrl });
  const client = visitor.withKey((await visitor.openDemoSession()).api_key);
  try {
    // With a key of ours, a connect whose answer got lost can be sent again.
    for (const platform of platforms) {
      await client.connect(platform, { idempotencyKey: `${platform}-${randomUUID()}` });
    }

    const opening = await client.statement();
    printStatement(opening, print);

    print('what is behind it:');
    const { facets } = await client.cases();
    for (const { value, count } of facets.kind) print(`  ${count} ${value}`);

    // A disagreement of a contract's number: both are linked all the same, and the evidence says why.
    const { data: cases } = await client.cases({ kind: 'disagreement', field: 'number' });
    const [found] = cases;
    if (found?.kind !== 'disagreement') throw new Error('No contract differs in its number');
    const { canonical_id, entity_type } = found;
    for (const platform of platforms)
      print(`  ${platform} says ${JSON.stringify(found.values[platform]?.canonical)}`);
    const { version, evidence, mappings } = await client.object(canonical_id);
    for (const { rule, rule_version, keys, by } of evidence) {
      const maker = by?.run_id === undefined ? 'no run' : 'a run';
      print(
        `linked by ${maker}: ${rule} ${rule_version}, both keys are ${JSON.stringify(keys[0]?.normalised)}`,
      );
    }

    // The same request twice: once to see what it would do, once to do it. If another caller was faster, the answer is 409.
    const number = found.values.platform_b?.canonical;
    const change = { format: 'canonical', canonical_id, entity_type, data: { number } } as const;
    const tried = await client.propagate({ ...change, dry_run: true }, { ifMatch: version });
    for (const platform of platforms) {
      const { status, changes = [] } = tried.propagated[platform] ?? {};
      const writes = changes.map(({ path, value }) => `, ${path} = ${JSON.stringify(value)}`);
      print(`${platform} would be ${status}${writes.join('')}`);
    }
    const settled = await client.propagate(change, { ifMatch: version, idempotencyKey: randomUUID() });
    print(`settled: ${platforms.map((one) => `${one} ${settled.propagated[one]?.status}`).join(', ')}`);
    try {
      await client.propagate({ ...change, data: { title: 'Too late' } }, { ifMatch: version });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      print(
        `too late with the version of before: ${error.conflicts.map(({ field }) => field).join(', ')} differ`,
      );
    }

    const closing = await client.statement();
    printStatement(closing, print);
    print(`disagreements: ${disagreementsIn(opening)} before, ${disagreementsIn(closing)} now`);

    for await (const { change: kind, origin, fields } of client.allObjectHistory(canonical_id)) {
      print(`history: ${kind} by a ${origin.type}, ${fields.length} fields`);
    }
    const before = await client.object(canonical_id, { asOf: opening.as_of });
    print(`as of the first statement it had ${before.disagreements.length} disagreement`);

    // A person decides against the rule, and a second person withdraws the decision.
    const reason = 'Two orders that share a number';
    const decision = { decision: 'not_same', entity_type, records: mappings, reason, decided_by } as const;
    const { id, effects } = await client.decide(decision, { idempotencyKey: randomUUID() });
    if (id === null) throw new Error('The decision was only tried');
    print(`parted: ${effects.records_total} record has a new object`);
    const withdrawn = await client.withdraw(id, { reason: 'It is one order after all', decided_by });
    print(
      `${withdrawn.status}: ${(await client.object(canonical_id)).mappings.length} records are one again`,
    );

    const file = await client.statementCsv({ entity_type: 'payment' });
    for (const line of file.split('\r\n').slice(0, 4)) print(`csv: ${line.replace('\uFEFF', '')}`);
  } finally {
    await client.closeDemoSession();
  }
}

/** One line for each type with amounts; adds the lines up itself, in minor units. */
function printStatement({ complete, currency, types }: Statement, print: (line: string) => void): void {
  print(`statement in minor units of ${currency}, ${complete ? 'complete' : 'not complete'}`);
  for (const { entity_type, totals } of types) {
    if (totals === null) continue;
    const { from, lines, to } = totals;
    const causes = lines.filter(({ amount }) => amount.amount !== 0);
    const sum = lines.reduce((total, { amount }) => total + amount.amount, from.sum.amount);
    if (sum !== to.sum.amount)
      throw new Error(`The ${entity_type}s do not foot: ${sum} is not ${to.sum.amount}`);
    const steps = causes.map(({ cause, amount }) => `${amount.amount} ${cause}`);
    print(`  ${entity_type}: ${[from.sum.amount, ...steps].join(', ')} = ${to.sum.amount}`);
  }
}

function disagreementsIn({ types }: Statement): number {
  return types.reduce((sum, { counts }) => sum + counts.disagree, 0);
}

if (require.main === module) {
  reconcile(process.env['BASE_URL'] ?? 'http://localhost:3000', console.log).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
