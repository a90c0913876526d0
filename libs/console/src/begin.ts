/*
 * The first thing that the page does. The browser takes as long to evaluate react-dom as the service to answer, so what a
 * resumed session shows first is asked for before that.
 */
import { openedFor } from './opened';
import { resumeSession } from './session/session';

const session = resumeSession();
if (session !== undefined) openedFor(session);
