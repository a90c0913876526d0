import { jsonOf } from './project';

/** The place of a panel; the grid is 24 wide. */
export interface GridPosition {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface DataSource {
  readonly type: string;
  readonly uid: string;
}

/** One query of a panel. */
export interface Target {
  readonly refId: string;
  readonly datasource: DataSource;
  readonly expr: string;
  readonly legendFormat: string;
}

/** A graph, or the heading of a row of them. */
export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: DataSource;
  readonly gridPos: GridPosition;
  readonly targets?: readonly Target[];
}

/** A choice that the dashboard offers its reader. */
export interface Variable {
  readonly name: string;
  readonly type: string;
  readonly datasource?: DataSource;
  readonly query: string | { readonly query: string };
  readonly definition?: string;
}

/** A dashboard of Grafana, as far as the tests look into it. */
export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
}

/** @throws SyntaxError when the file is no JSON */
export function dashboard(): Dashboard {
  return jsonOf('deploy/grafana/dashboard.json') as Dashboard; // The tests check what they use of it.
}

/** Whether two panels overlap. */
export function overlap(one: GridPosition, other: GridPosition): boolean {
  return (
    one.x < other.x + other.w &&
    other.x < one.x + one.w &&
    one.y < other.y + other.h &&
    other.y < one.y + one.h
  );
}
