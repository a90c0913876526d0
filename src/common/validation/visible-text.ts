/**
 * Matches a text with at least one visible character. Direction marks, joiners, fillers and control characters are no
 * white space, but they are invisible too.
 */
export const visibleText = /[^\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/u;
