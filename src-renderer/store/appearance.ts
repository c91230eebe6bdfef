import type { StateCreator } from 'zustand/vanilla';
import type { Language } from '../format.ts';

export type Theme = 'system' | 'light' | 'dark';

export interface AppearanceSlice {
  language: Language;
  theme: Theme;
  setLanguage(language: Language): void;
  setTheme(theme: Theme): void;
}

export const appearanceSlice: StateCreator<AppearanceSlice> = (set) => ({
  language: 'en',
  theme: 'system',
  setLanguage: (language) => set({ language }),
  setTheme: (theme) => set({ theme }),
});
