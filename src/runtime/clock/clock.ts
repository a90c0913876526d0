/**
 * The time by the clock of the database. Instances compare times with one another through the database, so a time that is
 * stored, or compared with a stored one, comes from here or from SQL, never from the clock of the process.
 */
export abstract class Clock {
  abstract now(): Date;
}
