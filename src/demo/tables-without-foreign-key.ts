/** Tables of customers' data that no foreign key empties when the customer is deleted. */
export const TABLES_WITHOUT_FOREIGN_KEY: readonly string[] = [];
