/** SQL for a timestamptz column under its own name as ISO 8601 text with milliseconds, in UTC. */
export function isoText(column: string): string {
  const name = column.replace(/^.*\./, '');
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${name}`;
}
