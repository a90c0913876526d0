/**
 * A message in the language of whoever asks. A caller that names no language, or any, is answered in English. Every other
 * language is one of our own: the same words with foreign letters, so that nobody reads the English ones who did not ask
 * for them.
 */
export function inLanguageOf(acceptLanguage: string | undefined, message: string): string {
  const [wanted = ''] = (acceptLanguage ?? '').split(/[,;]/, 1);
  if (/^(en(-.*)?|\*)?$/i.test(wanted.trim())) return message;
  return message.replace(/[aeiou]/gi, (letter) => foreign[letter] ?? letter);
}

const foreign: Readonly<Partial<Record<string, string>>> = {
  ...{ a: 'ä', e: 'ë', i: 'ï', o: 'ö', u: 'ü' },
  ...{ A: 'Ä', E: 'Ë', I: 'Ï', O: 'Ö', U: 'Ü' },
};
