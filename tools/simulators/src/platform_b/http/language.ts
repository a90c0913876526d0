/**
 * A message in the language of the caller. Without a language, or with any language, it is English. Every other
 * language is artificial: the same words with foreign letters, so that a client cannot rely on English texts without
 * requesting them.
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
