const ZERO = 0x30;

/** How many zeros a text begins with. */
export function leadingZeros(digits: string): number {
  let count = 0;
  while (digits.charCodeAt(count) === ZERO) count += 1;
  return count;
}

/** How many zeros a text ends with. A regular expression would look for them from each place anew. */
export function trailingZeros(digits: string): number {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return digits.length - end;
}
