/** A text that a person was writing, and the label of its field. */
export interface Written {
  readonly label: string;
  readonly text: string;
}

/** The texts in the fields of the page. Those of filters and searches are none of them: the address has these. */
export function writtenTexts(): readonly Written[] {
  const fields = document.querySelectorAll<HTMLTextAreaElement | HTMLInputElement>(
    'textarea, input[type="text"]',
  );
  return [...fields].flatMap(({ value: text, labels }) =>
    text.trim() === '' ? [] : [{ label: labels?.[0]?.textContent.trim() ?? 'text', text }],
  );
}
