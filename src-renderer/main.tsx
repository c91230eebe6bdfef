import './zod-jitless.ts';
import '@fontsource-variable/inter/index.css';
import '@fontsource-variable/jetbrains-mono/index.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/page.css';
import './styles/lists.css';
import './styles/detail.css';
import './styles/overlays.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { createBackend } from './backend.ts';
import { remember } from './remember.ts';
import { createQueryClient } from './store/queries.ts';
import { createPageStore } from './store/store.ts';

function tabStorage(): Storage | undefined {
  try {
    return window.sessionStorage;
  } catch {
    return undefined;
  }
}

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
const store = createPageStore();
remember(store);
const backend = createBackend({
  fetch: (path, init) => window.fetch(path, init),
  storage: tabStorage(),
  location: window.location,
  replaceAddress: (address) => window.history.replaceState(null, '', address),
});
createRoot(root).render(
  <StrictMode>
    <App backend={backend} store={store} client={createQueryClient()} />
  </StrictMode>,
);
