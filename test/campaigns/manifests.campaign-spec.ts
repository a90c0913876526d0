// The schema that an API server of Kubernetes publishes takes each manifest, and refuses it once any value has a wrong type.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifests } from '../deploy/manifests';
import { campaign } from '../support/campaign/campaign';
import { installTools, type InstalledTools } from '../support/installed/installed-tools';

/** A program that prints for each manifest of a file the errors of its kind's schema, or null. */
const PROGRAM = `
import { readFileSync } from 'node:fs';
const answers = [];
for (const manifest of JSON.parse(readFileSync('manifests.json', 'utf8'))) {
  const models = await import(\`kubernetes-models/\${manifest.apiVersion}\`);
  try {
    new models[manifest.kind](manifest).validate();
    answers.push(null);
  } catch (error) {
    answers.push(error.message);
  }
}
process.stdout.write(JSON.stringify(answers));
`;

campaign('manifests', (figures) => {
  let tools: InstalledTools;
  beforeAll(async () => {
    tools = await installTools({ 'kubernetes-models': '5.1.0' });
    writeFileSync(join(tools.folder, 'validate.mjs'), PROGRAM);
  });
  afterAll(() => tools.remove());

  async function problemsOf(given: readonly unknown[]): Promise<readonly (string | null)[]> {
    writeFileSync(join(tools.folder, 'manifests.json'), JSON.stringify(given));
    return JSON.parse((await tools.run('validate.mjs')).stdout) as (string | null)[]; // As the program prints it.
  }

  figures.part('are as the schema has them', async () => {
    expect(manifests().length).toBeGreaterThan(5);
    expect(await problemsOf(manifests())).toEqual(manifests().map(() => null));
    figures.count('manifests', manifests().length);
  });

  figures.part('are refused with a list in place of any value', async () => {
    const damaged = manifests().flatMap((manifest) =>
      placesOf(manifest)
        .filter((place) => !['apiVersion', 'kind'].includes(place.join('.')))
        .map((place) => ({
          name: `${manifest.kind} ${place.join('.')}`,
          manifest: withList(manifest, place),
        })),
    );
    const problems = await problemsOf(damaged.map(({ manifest }) => manifest));
    expect(damaged.filter((_, index) => problems[index] === null).map(({ name }) => name)).toEqual([]);
    figures.count('damaged copies refused', damaged.length);
  });
});

/** The paths of all values that contain no other value. */
function placesOf(value: unknown, place: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [place];
  return Object.entries(value).flatMap(([name, inner]) => placesOf(inner, [...place, name]));
}

function withList(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return [];
  const copy: unknown[] | Record<string, unknown> = Array.isArray(value)
    ? [...(value as unknown[])]
    : { ...(value as Record<string, unknown>) };
  return Object.assign(copy, { [name]: withList((copy as Record<string, unknown>)[name], rest) });
}
