import { normaliseKey } from '@app/mapper';

// Marks of direction, joiners, soft hyphens and the like: two names that differ in these alone look the same to a reader.
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * The form in which names under statements are compared: as keys are, and without characters that nobody sees. Pure.
 *
 * @returns undefined for a name that is empty then
 */
export function signerKeyOf(name: string): string | undefined {
  return normaliseKey(name.normalize('NFKC').replace(unseen, ''));
}
