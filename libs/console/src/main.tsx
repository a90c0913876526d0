// Before react-dom.
import './begin';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { watchIdleness } from './session/session';

const root = document.getElementById('console');
if (root === null) throw new Error('The page has no place for the console');
watchIdleness();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
