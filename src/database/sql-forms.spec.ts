import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMetadataArgsStorage } from 'typeorm';
import {
  createSourceFile,
  forEachChild,
  isStringLiteralLike,
  isTemplateExpression,
  ScriptTarget,
  type Node,
} from 'typescript';
import { ENTITIES, TABLES_OF_FLOWS } from './entities/all';

const root = join(__dirname, '../..');

/** What one PostgreSQL takes, and a cluster refuses or takes for something else (decision 34). */
const forms: Readonly<Record<string, RegExp>> = {
  // In an update, Citus writes it anew, and wrongly. `case when status = 'waiting'` says the same.
  'case x when': /\bcase\s+(?!when\b)\S.*?\bwhen\b.*?\bthen\b/is,
  'the time in a case': /\bcase\s+when\b(?:(?!\bend\b).)*\b(?:now|clock_timestamp)\s*\(/is,
  'a time and a span in a case':
    /\bcase\s+when\b(?:(?!\bend\b).)*\w_(?:at|before|since|until)\s*[+-]\s*[^,]*\binterval\b/is,
  'a recursive relation in front of an insert': /^\s*with\s+recursive\b.*\binsert\s+into\b/is,
  // Citus sends the write on with the names of the whole tables, not of the shards.
  'a write in front of an insert':
    /^\s*with\b.*\bas\s*(?:materialized\s*)?\(\s*(?:delete\s+from|update|insert\s+into)\b.*\)\s*insert\s+into\b/is,
  'the time in coalesce': /\bcoalesce\s*\((?:[^()]|\([^()]*\))*\b(?:now|clock_timestamp)\s*\(/i,
  'what differs from row to row in an update':
    /\bupdate\s+\w+(?:\s+\w+)?\s+set\b.*\b(?:clock_timestamp|random|gen_random_uuid)\s*\(/is,
  'a parameter in what an insert that selects updates':
    /\binsert\s+into\b.*\bselect\b.*\bdo\s+update\s+set\b.*\$\d/is,
  'the time in what decides whether an insert updates':
    /\bdo\s+update\s+set\b.*\bwhere\b.*\b(?:now|clock_timestamp)\s*\(/is,
  'a time as text in what a write returns':
    /\breturning\b.*\w_(?:at|before|since|until)(?:,[^()]*\))?::text/is,
  // The seconds between two times are the same everywhere: `extract(epoch from at - timestamptz '…')`.
  'a part of a time in what a write returns':
    /\breturning\b.*\bextract\s*\(\s*\w+\s+from\s(?!(?:[^()]|\([^()]*\))* - )/is,
  // Keys of callers are not spread.
  'a constraint added along with other changes of a table':
    /\balter\s+table\s+(?!api_keys\b)[^;]*,\s*add\s+constraint\b|\badd\s+constraint\b[^;]*,\s*(?:add|drop|alter)\s/is,
  // Citus cannot plan a statement on several tables before it knows the customer.
  'a plan for any parameters on a server that may be of a cluster': /\bset\s+(?:local\s+)?plan_cache_mode\b/i,
  'a temporary table': /\bcreate\s+(?:temp|temporary)\s/i,
  'the place of a row': /\bctid\b/i,
};

describe('the SQL of the service', () => {
  const texts = ['src', 'migrations']
    .flatMap(sourcesIn)
    .flatMap((file) => textsIn(file).map((text) => ({ file, text })));

  it.each(Object.entries(forms))('has nowhere %s', (_name, form) => {
    expect(texts.filter(({ text }) => /\bcoalesce\(/.test(text)).length).toBeGreaterThan(5);
    expect(texts.filter(({ text }) => form.test(text))).toEqual([]);
  });

  it.each([
    ['case x when', `update t set a = case status when 'waiting' then 1 else 2 end`],
    ['case x when', `select case (a.b)\n when '' then null end`],
    ['the time in a case', `update t set a = case when b then now() else a end`],
    [
      'a time and a span in a case',
      `update t set a = case when b then least($1, sent_at + $2 * interval '1 millisecond') else a end`,
    ],
    [
      'a recursive relation in front of an insert',
      ' with recursive r as (select 1 union select a from r)\n insert into t select a from r',
    ],
    [
      'a write in front of an insert',
      ' with r as (\n delete from u where a = $1 returning a)\n insert into t (a) select a from r',
    ],
    ['the time in coalesce', 'update t set a = coalesce(nullif(a, b), now())'],
    ['what differs from row to row in an update', 'update t r set a = 1,\n b = clock_timestamp() where c'],
    [
      'a parameter in what an insert that selects updates',
      'insert into t (a, b)\n select $1, c from u on conflict (a) do update set\n b = $2::uuid',
    ],
    [
      'the time in what decides whether an insert updates',
      'insert into t (a) values ($1) on conflict (a) do update set b = excluded.b\n where t.b < now()',
    ],
    ['a time as text in what a write returns', 'update t set a = 1 returning id, sent_at::text as sent'],
    [
      'a time as text in what a write returns',
      `delete from t c returning coalesce(c.ends_at, 'infinity')::text as ends`,
    ],
    [
      'a part of a time in what a write returns',
      'delete from t c returning extract(epoch from c.opened_at)::text',
    ],
    [
      'a constraint added along with other changes of a table',
      'alter table t add column a int not null,\n  add constraint ck_t_a check (a > 0)',
    ],
    [
      'a plan for any parameters on a server that may be of a cluster',
      'set local plan_cache_mode = force_generic_plan',
    ],
    ['a temporary table', 'create temporary table t (a int) on commit drop'],
    ['the place of a row', 'delete from t where ctid = any ($1)'],
  ])('would be found with %s: %s', (name, sql) => {
    expect(sql).toMatch(forms[name] ?? /nothing/);
  });

  // In an update of an entity, which has no text.
  it('has nowhere what differs from row to row as the value of a column', () => {
    const volatile = /=>\s*['"`](?:clock_timestamp|random|gen_random_uuid)\s*\(/;
    expect(`update({ at: () => 'clock_timestamp()' })`).toMatch(volatile);
    const sources = sourcesIn('src').filter((file) => volatile.test(readFileSync(join(root, file), 'utf8')));
    expect(sources).toEqual([]);
  });

  it.each([
    `update t set a = case when status = 'waiting' then 1 when b then case when c then 2 end end, d = now()`,
    `insert into t (a, b) select $1, clock_timestamp() on conflict (a) do update set b = excluded.b returning id`,
    'insert into t (a, b) values ($1, $2) on conflict (a) do update set b = excluded.b where t.c < $2 returning b',
    'with r as (update t set a = 1 returning b), s as (insert into u (a) values (1) returning a) select b from r',
    'select coalesce(a, b) as c, now() as d, sent_at::text as e from t',
  ])('may have %s', (sql) => {
    expect(Object.entries(forms).filter(([, form]) => form.test(sql))).toEqual([]);
  });
});

describe('the tables of the service', () => {
  const writers = writersOfTables();

  it('are all written', () => {
    const source = sourcesIn('src')
      .filter((file) => file.endsWith('.repository.ts'))
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join();
    // A repository of single rows writes its table through the entity.
    const names = ENTITIES.filter((entity) => !new RegExp(`\\b\\w+\\(${entity.name}\\b`).test(source)).map(
      (entity) => getMetadataArgsStorage().tables.find(({ target }) => target === entity)?.name ?? '',
    );
    expect([...names, ...TABLES_OF_FLOWS].filter((name) => !writers.has(name))).toEqual([]);
  });

  it('are each written in one repository', () => {
    const several = [...writers].filter(([, files]) => files.size > 1);
    expect(writers.size).toBeGreaterThan(35);
    expect(several.map(([table, files]) => [table, [...files]])).toEqual([]);
    const elsewhere = [...writers]
      .flatMap(([, files]) => [...files])
      .filter((file) => !file.endsWith('.repository.ts'));
    expect(elsewhere).toEqual([]);
  });
});

/** The files whose statements write a table, by table. */
function writersOfTables(): ReadonlyMap<string, ReadonlySet<string>> {
  const writers = new Map<string, Set<string>>();
  for (const file of sourcesIn('src').filter((path) => !path.startsWith(join('src', 'cli')))) {
    for (const text of textsIn(file)) {
      for (const [, table] of text.matchAll(
        /\b(?:insert into|update|delete from|copy) ([a-z]+(?:_[a-z]+)*)\b/g,
      )) {
        if (
          table === undefined ||
          !/_|^(?:changes|events|propagations|connections|comparisons|customers)$/.test(table)
        )
          continue;
        writers.set(table, (writers.get(table) ?? new Set()).add(file));
      }
    }
  }
  return writers;
}

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
    .map((path) => join(folder, path));
}

/** The texts in a source file; `?` stands for what a template puts in. */
function textsIn(file: string): readonly string[] {
  const texts: string[] = [];
  const visit = (node: Node): void => {
    if (isStringLiteralLike(node)) texts.push(node.text);
    if (isTemplateExpression(node)) {
      texts.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('?'));
    }
    forEachChild(node, visit);
  };
  visit(createSourceFile(file, readFileSync(join(root, file), 'utf8'), ScriptTarget.Latest));
  return texts;
}
