import { parseAllDocuments } from 'yaml';
import { textOf } from './project';

type Version = '1.1' | '1.2';

/**
 * The documents of a YAML file that mean the same to readers of both versions in use: to one of 1.1 a bare `off` is no text.
 *
 * @param only the version to read the file by, where its format settles that
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

/** The one document of a YAML file; the caller says what it is, and a test shows it. */
export function yamlDocument<T>(path: string, only?: Version): T {
  const [document, ...more] = yamlDocuments(path, only);
  if (more.length > 0) throw new Error(`${path} holds more than one document`);
  return document as T;
}
