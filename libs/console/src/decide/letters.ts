/** The letters, for the list that `?` shows. */
export const letters = [
  ['K', 'the case before'],
  ['J', 'the next case'],
  ['L', 'link with the chosen record'],
  ['N', 'not the same'],
  ['S', 'leave open, and go on'],
  ['U', 'undo the last decision'],
  ['1–9', 'choose a candidate'],
  ['/', 'find the record that is missing, where one is'],
  ['?', 'show this list, or hide it'],
] as const;
