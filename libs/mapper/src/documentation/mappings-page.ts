import { entityTypes, type EntityType } from '../canonical/entity-type';
import { fieldsOf } from '../canonical/types';
import { phraseOfPlace, type DescribedPlace, type FieldDescription } from '../mapping/describing/description';
import type { Mapping } from '../mapping/mapping';
import type { Access } from '../resource/native-resource';
import { mappingOf, platformNames, variantsOf, type PlatformName } from '../platforms';

/** One column of the page: a mapping, and what it is called where a type has several on a platform. */
interface Column {
  readonly title: string;
  readonly platform: PlatformName;
  readonly mapping: Mapping;
}

const accessNotes: Readonly<Record<Access, string>> = {
  write: '',
  create: 'written on creation only',
  read: 'read only',
  lines: 'follows from the lines',
};

/** The page `docs/mappings.md`, printed from the mappings themselves. */
export function mappingsPage(): string {
  const intro = [
    '# Mappings',
    'Printed from the mappings in `libs/mapper/src/platforms`; do not edit. After a change of a mapping:',
    '```sh\nUPDATE_DOCS=1 npx jest libs/mapper/src/documentation --selectProjects unit\n```',
    'Each canonical field is read from the native field named first, in the form behind it. A dash means that the platform ' +
      'has no such field. References show how the record they point at is named. _Counts_ lists the platforms that have the field, ' +
      'in the order in which their values count by default; _own_ marks what each platform keeps for itself.',
  ];
  return `${[...intro, ...entityTypes.flatMap(sectionOf)].join('\n\n')}\n`;
}

function sectionOf(entityType: EntityType): readonly string[] {
  const columns = columnsOf(entityType);
  return [
    `## ${entityType}`,
    columns.map(resourceLine).join('\n'),
    table(
      ['canonical', 'meaning', 'counts', ...columns.map(({ title }) => title)],
      fieldRows(entityType, columns),
    ),
    ...lineTable(columns),
    ...valueTables(entityType, columns),
  ];
}

function columnsOf(entityType: EntityType): readonly Column[] {
  return platformNames.flatMap((platform): Column[] => {
    const variants = variantsOf(platform, entityType);
    if (variants === undefined)
      return [{ title: platform, platform, mapping: mappingOf(platform, entityType) }];
    return Object.entries(variants.variants).map(([variant, mapping]) => ({
      title: `${platform} ${variant}`,
      platform,
      mapping,
    }));
  });
}

function resourceLine({ title, mapping: { resource, requiredToCreate } }: Column): string {
  const required = requiredToCreate.map((field) => `\`${field}\``).join(', ');
  return `- ${title}: \`${resource.name}\`; to create one: ${required === '' ? 'nothing in particular' : required}`;
}

function fieldRows(entityType: EntityType, columns: readonly Column[]): readonly (readonly string[])[] {
  const described = columns.map(
    ({ mapping }) => new Map(mapping.describe().map((entry) => [entry.field, entry])),
  );
  return Object.entries(fieldsOf(entityType)).map(([field, { description, ownToPlatform }]) => [
    `\`${field}\``,
    description,
    ownToPlatform ? 'own' : countingPlatforms(field, columns),
    ...described.map((entries) => cell(entries.get(field))),
  ]);
}

// A platform with several variants of a type counts once.
function countingPlatforms(field: string, columns: readonly Column[]): string {
  const having = columns.filter(({ mapping }) => mapping.accessTo(field) !== undefined);
  return [...new Set(having.map(({ platform }) => platform))].join(', ') || '–';
}

function cell(entry: FieldDescription | undefined): string {
  if (entry === undefined) return '–';
  const { places, constant, access } = entry;
  if (places.length === 0) return `always ${String(constant)}`;
  const note = accessNotes[access];
  return `${describedPlaces(places)}${note === '' ? '' : ` (${note})`}`;
}

// Places that look alike share one phrase; else each has its own.
function describedPlaces(places: readonly DescribedPlace[]): string {
  const byPhrase = new Map<string, string[]>();
  for (const place of places) {
    const phrase = phraseOfPlace(place);
    byPhrase.set(phrase, [...(byPhrase.get(phrase) ?? []), `\`${place.path}\``]);
  }
  const isReference = places.some(({ by }) => by !== undefined);
  return [...byPhrase]
    .map(([phrase, paths]) => `${paths.join(', ')} ${phrase}`)
    .join(isReference ? ', else ' : '; ');
}

function lineTable(columns: readonly Column[]): readonly string[] {
  const members = columns.map(({ mapping }) => {
    const lines = mapping.describe().find((entry) => entry.members !== undefined);
    return new Map(lines?.members?.map((member) => [member.field, member]));
  });
  const names = [...new Set(members.flatMap((lines) => [...lines.keys()]))];
  if (names.length === 0) return [];
  const rows = names.map((name) => [`\`${name}\``, ...members.map((lines) => cell(lines.get(name)))]);
  return ['Each line:', table(['canonical', ...columns.map(({ title }) => title)], rows)];
}

function valueTables(entityType: EntityType, columns: readonly Column[]): readonly string[] {
  return Object.entries(fieldsOf(entityType)).flatMap(([field, { values = [] }]): string[] => {
    // A platform whose records all have the same value has no literal for it.
    const spoken = columns.filter(({ mapping }) => mapping.pathOf(field) !== undefined);
    if (values.length === 0 || spoken.length === 0) return [];
    const rows = values.map((value) => [
      `\`${value}\``,
      ...spoken.map(({ mapping }) => literal(mapping, field, value)),
    ]);
    return [`Values of \`${field}\`:`, table(['canonical', ...spoken.map(({ title }) => title)], rows)];
  });
}

// Some literals are written for this value but read as another one; the page prints them with that other value.
function literal(mapping: Mapping, field: string, value: string): string {
  const context = { currency: undefined, localCurrency: '' };
  const { payload } = mapping.encode({ [field]: value }, context);
  const [change] = mapping.changesOf([field], { [field]: value }, context).changes;
  if (change === undefined) return '–';
  const read = mapping.decode(payload, { inheritedCurrency: '', localCurrency: '' }).data[field];
  const written = `\`${typeof change.value === 'string' ? change.value : JSON.stringify(change.value)}\``;
  return read === value || typeof read !== 'string' ? written : `${written} (reads as \`${read}\`)`;
}

/** A Markdown table with aligned columns, as the formatter of the project has it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((text) => text.replaceAll('|', '\\|')));
  const widths = head.map((_, index) => Math.max(3, ...cells.map((row) => row[index]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, index) => (row[index] ?? '').padEnd(width)).join(' | ')} |`;
  const [first = [], ...others] = cells;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n');
}
