const SECONDS = { s: 1, m: 60, h: 3_600 } as const;

/**
 * The alert rules with all their times divided by a factor: the time for which a condition must hold, the interval of
 * a counter's growth, and the ages in seconds from which something is late. Nothing else changes.
 */
export function shortenedRules(rules: string, factor: number): string {
  const shortened = (amount: string, unit: keyof typeof SECONDS): string =>
    `${Math.max(1, Math.round((Number(amount) * SECONDS[unit]) / factor))}s`;
  return rules
    .replace(/(?<=\bfor: )(\d+)([smh])$/gm, (_, amount: string, unit: 's') => shortened(amount, unit))
    .replace(/(?<=\[)(\d+)([smh])(?=\])/g, (_, amount: string, unit: 's') => shortened(amount, unit))
    .replace(/(?<=_seconds\) > )(\d{2,})$/gm, (age) => String(Number(age) / factor));
}
