import { createStore, type StoreApi } from 'zustand/vanilla';
import { type AppearanceSlice, appearanceSlice } from './appearance.ts';
import { type ConnectionSlice, connectionSlice } from './connection.ts';
import { type DraftSlice, draftSlice } from './drafts.ts';
import { type NoticeSlice, noticeSlice } from './notices.ts';
import { type OutputSlice, outputSlice } from './output.ts';
import { type SelectionSlice, selectionSlice } from './selection.ts';

/** What the person is doing. What the host knows is in the cache of the queries, not here. */
export type PageState = SelectionSlice &
  DraftSlice &
  OutputSlice &
  ConnectionSlice &
  AppearanceSlice &
  NoticeSlice;
export type PageStore = StoreApi<PageState>;

/** A fresh store; one per page, one per test. */
export function createPageStore(): PageStore {
  return createStore<PageState>()((...api) => ({
    ...selectionSlice(...api),
    ...draftSlice(...api),
    ...outputSlice(...api),
    ...connectionSlice(...api),
    ...appearanceSlice(...api),
    ...noticeSlice(...api),
  }));
}
