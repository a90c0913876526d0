import { normaliseKey } from '@app/mapper';

// Direction marks, joiners, soft hyphens and the like. Two names that differ only in these characters look the same to
// a reader.
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * The form in which names under statements are compared: as keys are, and without characters that nobody sees. Pure.
 *
 * @returns undefined for a name that is empty then
 */
export function signerKeyOf(name: string): string | undefined {
  return normaliseKey(name.normalize('NFKC').replace(unseen, ''));
}
