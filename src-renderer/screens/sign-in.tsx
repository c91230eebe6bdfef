import { type FormEvent, useId, useState } from 'react';
import type { SignInProblem } from '../backend.ts';
import { useWords } from '../page-context.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { AppearanceControls } from './appearance-controls.tsx';
import { Brand } from './brand.tsx';

interface SignInProps {
  problem: SignInProblem | 'expired' | undefined;
  retry(): void;
  signIn(text: string): Promise<void>;
}

function useProblemText(problem: SignInProps['problem']): string | undefined {
  const { signIn } = useWords();
  if (problem === undefined) return undefined;
  return {
    code_refused: signIn.codeRefused,
    token_refused: signIn.tokenRefused,
    too_many: signIn.tooMany,
    unreachable: signIn.unreachable,
    expired: signIn.expired,
  }[problem];
}

function TokenForm({ problem, signIn }: Pick<SignInProps, 'problem' | 'signIn'>) {
  const words = useWords();
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [missing, setMissing] = useState(false);
  const refused = useProblemText(problem === 'token_refused' || problem === 'too_many' ? problem : undefined);
  const error = missing ? words.signIn.empty : refused;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setMissing(text.trim() === '');
    if (text.trim() === '' || busy) return;
    setBusy(true);
    await signIn(text);
    setBusy(false);
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="stack" noValidate>
      <Field
        label={words.signIn.tokenLabel}
        hint={words.signIn.tokenHint}
        error={error === undefined ? undefined : { text: error }}
      >
        {(control) => (
          <input
            {...control}
            type="password"
            autoComplete="off"
            spellCheck={false}
            className="input mono"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <div>
        <Button look="strong" submits disabled={busy}>
          {busy ? words.signIn.checking : words.signIn.submit}
        </Button>
      </div>
    </form>
  );
}

/** The way in: how to get a link, and a field for a token. */
export function SignIn({ problem, retry, signIn }: SignInProps) {
  const words = useWords();
  const id = useId();
  const text = useProblemText(problem);
  const general = problem === 'expired' || problem === 'code_refused' || problem === 'unreachable';
  return (
    <div className="gate">
      <header className="gate-head">
        <Brand />
        <AppearanceControls />
      </header>
      <main className="gate-card" aria-labelledby={id}>
        <h1 id={id}>{words.signIn.title}</h1>
        {general && (
          <div className="banner" role="alert">
            <p>{text}</p>
            {problem === 'unreachable' && <Button onClick={retry}>{words.signIn.retry}</Button>}
          </div>
        )}
        <p className="muted">{words.signIn.why}</p>
        <h2>{words.signIn.linkTitle}</h2>
        <p>{words.signIn.linkSteps}</p>
        <pre className="code-line">
          <code>nextrun open</code>
        </pre>
        <h2>{words.signIn.tokenTitle}</h2>
        <TokenForm problem={problem} signIn={signIn} />
      </main>
    </div>
  );
}
