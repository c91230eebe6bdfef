import type { StateCreator } from 'zustand/vanilla';

export interface SelectionSlice {
  /** The run whose detail is open. It stands in the address, so links and the back button work. */
  selectedRun: string | undefined;
  taskView: 'current' | 'finished';
  select(runId: string | undefined): void;
  showTasks(view: SelectionSlice['taskView']): void;
}

export const selectionSlice: StateCreator<SelectionSlice> = (set) => ({
  selectedRun: undefined,
  taskView: 'current',
  select: (selectedRun) => set({ selectedRun }),
  showTasks: (taskView) => set({ taskView }),
});
