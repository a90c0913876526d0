import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from './kubernetes-types';
import { root } from './project';
import { yamlDocument, yamlDocuments } from './yaml-file';

const FOLDER = 'deploy/kubernetes';

/** A kustomization, as far as the project uses it. */
export interface Kustomization {
  readonly kind: 'Kustomization';
  readonly namespace: string;
  readonly resources: readonly string[];
  readonly images?: readonly { readonly name: string; readonly newName: string; readonly newTag: string }[];
  readonly patches?: readonly { readonly target: { kind: string; name: string }; readonly patch: string }[];
}

/** Every file below the folder of manifests, from the project's folder. */
export function manifestFiles(): string[] {
  return readdirSync(join(root, FOLDER), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => join(FOLDER, path).replaceAll('\\', '/'));
}

/** The kustomization of a folder: `service`, `migration` or `autoscaling`. */
export function kustomization(folder: string): Kustomization {
  return yamlDocument<Kustomization>(`${FOLDER}/${folder}/kustomization.yaml`);
}

/** All manifests, whichever kustomization brings them. */
export function manifests(): Manifest[] {
  return manifestFiles()
    .filter((path) => !path.endsWith('/kustomization.yaml'))
    .flatMap((path) => yamlDocuments(path)) as Manifest[]; // A test holds them to the types of the API.
}

/** The only manifest of a kind, or the one of that kind with the name. */
export function manifest<T>(kind: string, name?: string): T {
  const found = manifests().filter(
    (each) => each.kind === kind && (name ?? each.metadata.name) === each.metadata.name,
  );
  if (found.length !== 1) throw new Error(`There are ${found.length} manifests ${kind} ${name ?? ''}`);
  return found[0] as T; // As above.
}
