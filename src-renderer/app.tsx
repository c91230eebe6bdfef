import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type Backend, type Entry, findLoginCode } from './backend.ts';
import { PageContext, usePageState, useWords } from './page-context.ts';
import { SignIn } from './screens/sign-in.tsx';
import { Workbench } from './screens/workbench.tsx';
import { type Live, startLive } from './store/live.ts';
import { keys } from './store/queries.ts';
import type { PageStore } from './store/store.ts';

interface AppProps {
  backend: Backend;
  store: PageStore;
  client: QueryClient;
}

function Checking() {
  const words = useWords();
  return (
    <main className="gate" aria-busy="true">
      <p role="status">{words.signIn.checking}</p>
    </main>
  );
}

function Gate({ enter, signIn }: { enter(): void; signIn(text: string): Promise<void> }) {
  const session = usePageState((state) => state.session);
  if (session.kind === 'checking') return <Checking />;
  if (session.kind === 'open') return <Workbench />;
  return <SignIn problem={session.problem} retry={enter} signIn={signIn} />;
}

/** Signs in, follows the event stream while signed in, and shows the page or the way in. */
export function App({ backend, store, client }: AppProps) {
  const live = useRef<Live>(undefined);
  const [open, setOpen] = useState(false);
  const settle = useCallback(
    (entry: Entry) => {
      if (entry.kind === 'open') client.setQueryData(keys.info, entry.info);
      store.getState().setSession(entry.kind === 'open' ? { kind: 'open' } : entry);
      setOpen(entry.kind === 'open');
    },
    [client, store],
  );
  const enter = useCallback(() => {
    store.getState().setSession({ kind: 'checking' });
    void backend.enter().then(settle);
  }, [backend, store, settle]);
  const started = useRef(false);
  useEffect(() => {
    // A one-time code can be used once only, also when React runs its effects twice.
    if (!started.current) enter();
    started.current = true;
    backend.onRefused(() => {
      settle({ kind: 'closed', problem: undefined });
      store.getState().setSession({ kind: 'closed', problem: 'expired' });
      client.clear();
    });
    // `nextrun open` may reuse this tab: then only the fragment changes.
    const onHash = () => {
      if (findLoginCode(window.location.hash) !== undefined) enter();
    };
    window.addEventListener('hashchange', onHash);
    return () => window.removeEventListener('hashchange', onHash);
  }, [backend, client, store, enter, settle]);
  useEffect(() => {
    if (!open) return;
    live.current = startLive(backend, client, store);
    return () => live.current?.stop();
  }, [open, backend, client, store]);
  const page = useMemo(
    () => ({ backend, store, reconnect: () => live.current?.reconnect() }),
    [backend, store],
  );
  const signIn = async (text: string) => settle(await backend.signIn(text));
  return (
    <QueryClientProvider client={client}>
      <PageContext value={page}>
        <Gate enter={enter} signIn={signIn} />
      </PageContext>
    </QueryClientProvider>
  );
}
