/** What a form says, by the names of its fields. */
export type FormTexts = Readonly<Partial<Record<string, string>>>;

/** The values of a form's fields by name, without surrounding blanks; empty for a field that was left empty. */
export function textsOf(form: HTMLFormElement): FormTexts {
  const texts = [...new FormData(form)].flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value.trim()]] : [],
  );
  return Object.fromEntries(texts);
}
