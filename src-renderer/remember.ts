import type { Language } from './format.ts';
import type { Theme } from './store/appearance.ts';
import { emptyDraft, type SubmitDraft } from './store/drafts.ts';
import type { PageStore } from './store/store.ts';

/** Keeps in the browser what shall outlive a reload: language, theme, the draft, and the selection (address). */

const longestDraft = 200_000;
const draftKey = 'nextrun.draft';

function attempt<T>(action: () => T, otherwise: T): T {
  try {
    return action();
  } catch {
    // Storage may be blocked or full: then it is not remembered, and nothing else is lost.
    return otherwise;
  }
}

function readDraft(): SubmitDraft {
  const text = attempt(() => sessionStorage.getItem(draftKey), null);
  if (text === null) return emptyDraft;
  const stored: unknown = attempt(() => JSON.parse(text), null);
  if (typeof stored !== 'object' || stored === null) return emptyDraft;
  const fields = stored as Partial<Record<keyof SubmitDraft, unknown>>;
  const word = (key: keyof SubmitDraft) => (typeof fields[key] === 'string' ? fields[key] : '');
  return {
    kind: fields.kind === 'command' ? 'command' : 'agent',
    prompt: word('prompt'),
    command: word('command'),
    agent: word('agent'),
    cwd: word('cwd'),
    name: word('name'),
  };
}

function runOfAddress(): string | undefined {
  return new URLSearchParams(location.search).get('run') ?? undefined;
}

function addressOf(runId: string | undefined): string {
  return runId === undefined ? location.pathname : `${location.pathname}?run=${encodeURIComponent(runId)}`;
}

function showLanguage(language: Language): void {
  document.documentElement.lang = language;
}

function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** Fills the store with what was remembered, and remembers what changes from now on. */
export function remember(store: PageStore): void {
  const root = document.documentElement;
  const theme = root.dataset['theme'];
  store.setState({
    // first-paint.js has read these two; reading them again could only differ by mistake.
    language: root.lang === 'zh-CN' ? 'zh-CN' : 'en',
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    draft: readDraft(),
    selectedRun: runOfAddress(),
  });
  store.subscribe((state, before) => {
    if (state.language !== before.language) {
      showLanguage(state.language);
      attempt(() => localStorage.setItem('nextrun.language', state.language), undefined);
    }
    if (state.theme !== before.theme) {
      showTheme(state.theme);
      attempt(() => localStorage.setItem('nextrun.theme', state.theme), undefined);
    }
    if (state.draft !== before.draft && state.draft.prompt.length < longestDraft) {
      attempt(() => sessionStorage.setItem(draftKey, JSON.stringify(state.draft)), undefined);
    }
    if (state.selectedRun !== before.selectedRun && state.selectedRun !== runOfAddress()) {
      history.pushState(null, '', addressOf(state.selectedRun));
    }
  });
  window.addEventListener('popstate', () => store.getState().select(runOfAddress()));
}
