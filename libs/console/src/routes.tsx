import type { ComponentType } from 'react';
import type { Permission } from './data/queries';
import { loadPart } from './parts/load-part';
import { StatementScreen } from './statement/statement-screen';

/** A screen, and who may open it. */
export interface ScreenRoute {
  /** As wouter writes patterns: `/objects/:id`. */
  readonly path: string;
  readonly Screen: ComponentType;
  /** Its name in the navigation; without one it is opened from other screens only. */
  readonly navigation?: string;
  /** A key without it is not offered the screen. */
  readonly needs: Permission;
}

/** A screen that is a chunk of its own, and what loads it. */
interface LoadedRoute extends Omit<ScreenRoute, 'Screen'> {
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

const loaded: readonly LoadedRoute[] = [
  { path: '/cases', load: () => import('./cases/cases-screen'), navigation: 'Cases', needs: 'read' },
  { path: '/cases/:id', load: () => import('./decide/decide-screen'), needs: 'read' },
  {
    path: '/decisions',
    load: () => import('./decisions/decisions-screen'),
    navigation: 'Decisions',
    needs: 'read',
  },
  {
    path: '/signoffs',
    load: () => import('./signoffs/signoffs-screen'),
    navigation: 'Sign-offs',
    needs: 'read',
  },
  { path: '/signoffs/:id', load: () => import('./signoffs/signoff-screen'), needs: 'read' },
  {
    path: '/connections',
    load: () => import('./connections/connections-screen'),
    navigation: 'Connections',
    needs: 'read',
  },
  { path: '/objects', load: () => import('./finder/finder-screen'), navigation: 'Objects', needs: 'read' },
  { path: '/changes', load: () => import('./changes/changes-screen'), navigation: 'Changes', needs: 'read' },
  { path: '/objects/:id', load: () => import('./object/object-screen'), needs: 'read' },
  { path: '/terms', load: () => import('./terms/terms-screen'), navigation: 'Terms', needs: 'read' },
  {
    path: '/translate',
    load: () => import('./translate/translate-screen'),
    navigation: 'Translate',
    needs: 'read',
  },
];

/** Every screen, in the order of the navigation. All but the first are loaded when they are opened. */
export const routes: readonly ScreenRoute[] = [
  { path: '/', Screen: StatementScreen, navigation: 'Statement', needs: 'read' },
  ...loaded.map(({ load, ...route }) => ({
    ...route,
    Screen: loadPart({ name: route.path, what: 'the screen', rows: 6, load }),
  })),
];
