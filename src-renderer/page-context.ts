import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import { type PageWords, pageEn } from '../src-shared/words/page-en.ts';
import { pageZhCN } from '../src-shared/words/page-zh-CN.ts';
import type { Backend } from './backend.ts';
import type { Language } from './format.ts';
import type { PageState, PageStore } from './store/store.ts';

/** What every part of the page can reach: the host and what the person is doing. */
export interface PageContextValue {
  backend: Backend;
  store: PageStore;
  /** Tries the event stream at once instead of at the end of the pause. */
  reconnect(): void;
}

export const PageContext = createContext<PageContextValue | undefined>(undefined);

function usePage(): PageContextValue {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error('Outside of the page');
  return page;
}

/** The connection to the host. */
export function useBackend(): Backend {
  return usePage().backend;
}

/** Tries to reconnect the event stream at once. */
export function useReconnect(): () => void {
  return usePage().reconnect;
}

/** A part of what the person is doing; renders again when that part changes. */
export function usePageState<T>(select: (state: PageState) => T): T {
  return useStore(usePage().store, select);
}

const languages: Record<Language, PageWords> = { en: pageEn, 'zh-CN': pageZhCN };

/** The store itself, for what reads it outside of rendering. */
export function usePageStore(): PageStore {
  return usePage().store;
}

/** The words of a language. */
export function wordsOf(language: Language): PageWords {
  return languages[language];
}

/** The words of the language that is shown. */
export function useWords(): PageWords {
  return wordsOf(usePageState((state) => state.language));
}
