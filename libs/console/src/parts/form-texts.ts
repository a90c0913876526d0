/** What a form says, by the names of its fields. */
export type FormTexts = Readonly<Partial<Record<string, string>>>;

/** What a person has written or chosen in a form, by the names of its fields, without blanks around it; empty for a field that was left empty. */
export function textsOf(form: HTMLFormElement): FormTexts {
  const texts = [...new FormData(form)].flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value.trim()]] : [],
  );
  return Object.fromEntries(texts);
}
