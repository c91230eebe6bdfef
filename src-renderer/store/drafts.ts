import type { StateCreator } from 'zustand/vanilla';

export interface SubmitDraft {
  kind: 'agent' | 'command';
  prompt: string;
  command: string;
  agent: string;
  cwd: string;
  name: string;
}

export interface DraftSlice {
  draft: SubmitDraft;
  /** Notes of verdicts that are being written, by run id. */
  notes: Readonly<Record<string, string>>;
  editDraft(change: Partial<SubmitDraft>): void;
  clearDraft(): void;
  editNote(runId: string, note: string | undefined): void;
}

export const emptyDraft: SubmitDraft = {
  kind: 'agent',
  prompt: '',
  command: '',
  agent: '',
  cwd: '',
  name: '',
};

export const draftSlice: StateCreator<DraftSlice> = (set) => ({
  draft: emptyDraft,
  notes: {},
  editDraft: (change) => set(({ draft }) => ({ draft: { ...draft, ...change } })),
  // Kind, agent and folder stay: the next task is likely to want the same.
  clearDraft: () => set(({ draft }) => ({ draft: { ...draft, prompt: '', command: '', name: '' } })),
  editNote: (runId, note) =>
    set(({ notes }) => {
      const { [runId]: _gone, ...others } = notes;
      return { notes: note === undefined ? others : { ...others, [runId]: note } };
    }),
});
