/**
 * Matches a text that a reader sees something of. Marks of direction, joiners, fillers and control characters are no white space,
 * and nobody sees them either.
 */
export const visibleText = /[^\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/u;
