import { Languages, Monitor, Moon, Sun } from 'lucide-react';
import { usePageState, useWords } from '../page-context.ts';
import type { Theme } from '../store/appearance.ts';
import { Button } from '../ui/button.tsx';

const nextTheme: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const themeIcon = { system: Monitor, light: Sun, dark: Moon };

/** Language and theme; both are remembered by the browser. */
export function AppearanceControls() {
  const words = useWords();
  const language = usePageState((state) => state.language);
  const theme = usePageState((state) => state.theme);
  const setLanguage = usePageState((state) => state.setLanguage);
  const setTheme = usePageState((state) => state.setTheme);
  const other = language === 'en' ? 'zh-CN' : 'en';
  const Icon = themeIcon[theme];
  const themeName = `${words.appearance.theme}${words.colon}${words.appearance[theme]}`;
  return (
    <div className="appearance">
      <Button look="quiet" lang={other} onClick={() => setLanguage(other)} title={words.appearance.language}>
        <Languages aria-hidden="true" />
        {other === 'en' ? 'English' : '中文'}
      </Button>
      <Button
        look="quiet"
        onClick={() => setTheme(nextTheme[theme])}
        aria-label={themeName}
        title={themeName}
      >
        <Icon aria-hidden="true" />
      </Button>
    </div>
  );
}
