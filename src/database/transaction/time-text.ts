/** SQL for a time as text: ISO 8601 in UTC, with microseconds. @param time SQL for the time */
export function timeText(time: string): string {
  return `to_char((${time}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
