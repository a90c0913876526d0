import { normaliseKey } from '@app/mapper';

// Direction marks, joiners, soft hyphens and the like. A reader cannot tell two names apart that differ only in these
// characters.
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * The form in which signers' names are compared: normalised as keys are, and without invisible characters. Pure.
 *
 * @returns undefined if nothing of the name is left
 */
export function signerKeyOf(name: string): string | undefined {
  return normaliseKey(name.normalize('NFKC').replace(unseen, ''));
}
