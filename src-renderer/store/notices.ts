import type { StateCreator } from 'zustand/vanilla';

export interface Notice {
  id: number;
  tone: 'done' | 'error';
  text: string;
  /** What to do about it, as the host says. */
  hint?: string;
}

export interface NoticeSlice {
  notice: Notice | undefined;
  notify(notice: Omit<Notice, 'id'>): void;
  dismiss(id: number): void;
}

export const noticeSlice: StateCreator<NoticeSlice> = (set) => ({
  notice: undefined,
  notify: (notice) => set((state) => ({ notice: { ...notice, id: (state.notice?.id ?? 0) + 1 } })),
  dismiss: (id) => set(({ notice }) => (notice?.id === id ? { notice: undefined } : {})),
});
