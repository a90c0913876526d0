/** A GUID as platform_b has them, with a number that tells it from others. */
export const guid = (last: number): string => `0d4b7c3e-7b6e-ee11-8df1-${String(last).padStart(12, '0')}`;
