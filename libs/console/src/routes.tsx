import type { ComponentType } from 'react';
import type { Permission } from './data/queries';
import { loadScreen } from './shell/load-screen';
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

/** Every screen, in the order of the navigation. All but the first are chunks of their own, loaded when they are opened. */
export const routes: readonly ScreenRoute[] = [
  { path: '/', Screen: StatementScreen, navigation: 'Statement', needs: 'read' },
  {
    path: '/cases',
    Screen: loadScreen('/cases', () => import('./cases/cases-screen')),
    navigation: 'Cases',
    needs: 'read',
  },
  {
    path: '/cases/:id',
    Screen: loadScreen('/cases/:id', () => import('./decide/decide-screen')),
    needs: 'read',
  },
  {
    path: '/decisions',
    Screen: loadScreen('/decisions', () => import('./decisions/decisions-screen')),
    navigation: 'Decisions',
    needs: 'read',
  },
  {
    path: '/signoffs',
    Screen: loadScreen('/signoffs', () => import('./signoffs/signoffs-screen')),
    navigation: 'Sign-offs',
    needs: 'read',
  },
  {
    path: '/signoffs/:id',
    Screen: loadScreen('/signoffs/:id', () => import('./signoffs/signoff-screen')),
    needs: 'read',
  },
  {
    path: '/connections',
    Screen: loadScreen('/connections', () => import('./connections/connections-screen')),
    navigation: 'Connections',
    needs: 'read',
  },
  {
    path: '/objects',
    Screen: loadScreen('/objects', () => import('./finder/finder-screen')),
    navigation: 'Objects',
    needs: 'read',
  },
  {
    path: '/changes',
    Screen: loadScreen('/changes', () => import('./changes/changes-screen')),
    navigation: 'Changes',
    needs: 'read',
  },
  {
    path: '/objects/:id',
    Screen: loadScreen('/objects/:id', () => import('./object/object-screen')),
    needs: 'read',
  },
  {
    path: '/terms',
    Screen: loadScreen('/terms', () => import('./terms/terms-screen')),
    navigation: 'Terms',
    needs: 'read',
  },
  {
    path: '/translate',
    Screen: loadScreen('/translate', () => import('./translate/translate-screen')),
    navigation: 'Translate',
    needs: 'read',
  },
];
