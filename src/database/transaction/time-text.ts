/** SQL for a time as text: UTC, with microseconds. */
export function timeText(time: string): string {
  return `to_char((${time}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
