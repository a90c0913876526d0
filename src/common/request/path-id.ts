const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether the ID in a path has the form of those that the service gives: a UUID, in any case. */
export function isPathId(id: string): boolean {
  return uuid.test(id);
}
