// Sets theme and language before anything is painted. A file of its own: the CSP forbids inline scripts.
(() => {
  const root = document.documentElement;
  let theme = null;
  let language = null;
  try {
    theme = localStorage.getItem('nextrun.theme');
    language = localStorage.getItem('nextrun.language');
  } catch {
    // Storage is blocked: the system's theme and the browser's language are used.
  }
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  const known = language === 'en' || language === 'zh-CN';
  root.lang = known ? language : navigator.language.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en';
})();
