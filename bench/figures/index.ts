import type { Figure } from '../harness/figure';
import { transform } from './p01-transform';
import { mapper } from './p02-mapper';
import { connect } from './p03-connect';
import { reconcile } from './p04-reconcile';
import { listing } from './p05-listing';
import { page } from './p05f-page';
import { propagate } from './p06-propagate';
import { memory } from './p07-memory';
import { start } from './p08-start';
import { overload } from './p09-overload';
import { instances } from './p10-instances';
import { mechanismsOff } from './p11-mechanisms';
import { pagesOfLists } from './p12-lists';
import { consoleOfPeople } from './p13-console';
import { sizesOfScreens } from './p14-console-size';
import { consoleBuild } from './p15-console-build';
import { spans } from './p16-spans';
import { atRest } from './p17-idle';
import { firstComparison } from './p18-comparison';
import { dueRuns } from './p19-due-runs';

/** Every figure, in the order in which a full run measures them. */
export const figures: readonly Figure[] = [
  transform,
  mapper,
  connect,
  reconcile,
  listing,
  page,
  propagate,
  memory,
  start,
  overload,
  instances,
  mechanismsOff,
  pagesOfLists,
  consoleOfPeople,
  sizesOfScreens,
  consoleBuild,
  spans,
  atRest,
  firstComparison,
  dueRuns,
];
