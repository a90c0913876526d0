import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { resumeSession, watchIdleness } from './session/session';

const root = document.getElementById('console');
if (root === null) throw new Error('The page has no place for the console');
resumeSession();
watchIdleness();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
