import { useWords } from '../page-context.ts';

/** The mark and the name of the product. */
export function Brand() {
  const words = useWords();
  return (
    <span className="brand">
      <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeLinecap="round" aria-hidden="true">
        <circle cx="12" cy="12" r="8" strokeWidth="4.5" />
        <path d="M12 7.5v4.5" strokeWidth="3.4" />
      </svg>
      <span>{words.product}</span>
    </span>
  );
}
