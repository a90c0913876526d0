import { parseAllDocuments } from 'yaml';
import { textOf } from './project';

type Version = '1.1' | '1.2';

/**
 * The documents of a YAML file. Readers of both versions in use must agree on them: YAML 1.1 takes a bare `off` for false.
 *
 * @param only the one version to read the file by, where its format names it
 * @throws Error naming the file when a reader finds fault with it, or the two differ
 */
export function yamlDocuments(path: string, only?: Version): unknown[] {
  const text = textOf(path);
  const read = (version: Version): unknown[] =>
    [...parseAllDocuments(text, { version })].map((document) => {
      const [problem] = [...document.errors, ...document.warnings];
      if (problem !== undefined) throw new Error(`${path}: ${problem.message}`);
      return document.toJS() as unknown;
    });
  const documents = read(only ?? '1.2');
  if (only === undefined && JSON.stringify(documents) !== JSON.stringify(read('1.1'))) {
    throw new Error(
      `${path} can be read in two ways; put quotes around texts that YAML 1.1 takes for something else`,
    );
  }
  return documents;
}

/** The one document of a YAML file, of the type that the caller expects; tests check what they use of it. */
export function yamlDocument<T>(path: string, only?: Version): T {
  const [document, ...more] = yamlDocuments(path, only);
  if (more.length > 0) throw new Error(`${path} holds more than one document`);
  return document as T;
}
