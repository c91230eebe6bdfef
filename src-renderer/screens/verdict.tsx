import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Run } from '../../src-shared/model/run.ts';
import { usePageState, useWords } from '../page-context.ts';
import { useRunAction } from '../store/actions.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';

function SendBackForm({ run, onDone }: { run: Run; onDone(sent: boolean): void }) {
  const words = useWords();
  const note = usePageState((state) => state.notes[run.id] ?? '');
  const editNote = usePageState((state) => state.editNote);
  const notify = usePageState((state) => state.notify);
  const reject = useRunAction('rejectRun', () => {
    editNote(run.id, undefined);
    notify({ tone: 'done', text: words.needs.sentBack(run.title) });
    onDone(true);
  });
  const field = useRef<HTMLTextAreaElement>(null);
  const [rerun, setRerun] = useState(true);
  const [missing, setMissing] = useState(false);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(note.trim() === '');
    if (note.trim() === '') return field.current?.focus();
    reject.mutate({ params: { id: run.id }, body: { note, rerun } });
  };
  return (
    <form className="stack verdict-form" onSubmit={submit} noValidate>
      <Field
        label={words.needs.note}
        hint={words.needs.noteHint}
        error={missing ? { text: words.needs.noteMissing } : undefined}
      >
        {(control) => (
          <textarea
            {...control}
            ref={field}
            className="input"
            rows={2}
            maxLength={10_000}
            value={note}
            onChange={(event) => editNote(run.id, event.target.value)}
          />
        )}
      </Field>
      <label className="check">
        <input type="checkbox" checked={rerun} onChange={(event) => setRerun(event.target.checked)} />
        {words.needs.rerun}
      </label>
      <div className="actions">
        <Button look="strong" submits disabled={reject.isPending}>
          {words.verbs.sendBack}
        </Button>
        <Button onClick={() => onDone(false)}>{words.verbs.cancel}</Button>
      </div>
    </form>
  );
}

/** Accept and Send back for a run that waits for a verdict. `onVerdict` is called when the run leaves the list. */
export function Verdict({ run, onVerdict }: { run: Run; onVerdict?(): void }) {
  const words = useWords();
  const notify = usePageState((state) => state.notify);
  const accept = useRunAction('acceptRun', () => {
    notify({ tone: 'done', text: words.needs.accepted(run.title) });
    onVerdict?.();
  });
  const opener = useRef<HTMLButtonElement>(null);
  const [writing, setWriting] = useState(false);
  const close = (sent: boolean) => {
    setWriting(false);
    if (sent) onVerdict?.();
    else opener.current?.focus();
  };
  return (
    <div className="verdict">
      <div className="actions">
        <Button
          look="strong"
          disabled={accept.isPending}
          aria-label={words.about(words.verbs.accept, run.title)}
          onClick={() => accept.mutate({ params: { id: run.id }, body: {} })}
        >
          {words.verbs.accept}
        </Button>
        <Button
          ref={opener}
          aria-expanded={writing}
          aria-label={words.about(words.verbs.sendBack, run.title)}
          onClick={() => setWriting(!writing)}
        >
          {words.verbs.sendBack}
        </Button>
      </div>
      {writing && <SendBackForm run={run} onDone={close} />}
    </div>
  );
}
