import type { PageWords } from '../../src-shared/words/page-en.ts';
import { useWords } from '../page-context.ts';

/** A reason code in words; an unknown one as it is. */
export function reasonWords(code: string, words: PageWords): string {
  const known: Readonly<Record<string, string>> = words.reasons;
  return Object.hasOwn(known, code) ? (known[code] ?? code) : code;
}

/** Why something ended or is held up: the words of its code, then the detail that was noted. */
export function Reason({ code, detail }: { code: string | null; detail: string | null }) {
  const words = useWords();
  if (code === null && detail === null) return null;
  return (
    <span className="reason">
      {code !== null && reasonWords(code, words)}
      {code !== null && detail !== null && words.colon}
      {detail !== null && <bdi>{detail}</bdi>}
    </span>
  );
}
