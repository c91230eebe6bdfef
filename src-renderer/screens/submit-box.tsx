import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import type { CallInput } from '../../src-shared/contract/client.ts';
import { ApiError } from '../../src-shared/contract/errors.ts';
import type { PageWords } from '../../src-shared/words/page-en.ts';
import { useBackend, usePageState, useWords } from '../page-context.ts';
import { type Trouble, troubleOf } from '../store/actions.ts';
import type { SubmitDraft } from '../store/drafts.ts';
import { Button } from '../ui/button.tsx';
import { Section } from '../ui/section.tsx';
import { KindChoice, NoAgent, SmallFields, WorkField } from './submit-fields.tsx';

/** The field of the form that an error of the host belongs to. */
export type SubmitField = 'work' | 'agent' | 'cwd' | 'name' | 'form';
export type SubmitTrouble = Partial<Record<SubmitField, Trouble>>;

type Body = NonNullable<CallInput<'submitRun'>['body']>;

function bodyOf(draft: SubmitDraft): Body {
  const cwd = draft.cwd.trim();
  const name = draft.name.trim();
  const work: Body =
    draft.kind === 'command'
      ? { kind: 'command', command: draft.command.trim() }
      : { kind: 'agent', prompt: draft.prompt, ...(draft.agent === '' ? {} : { agent: draft.agent }) };
  // Whoever presses "Run now" waits for it; the pause of 5 s is for scripts.
  return { ...work, delay_seconds: 0, ...(cwd === '' ? {} : { cwd }), ...(name === '' ? {} : { name }) };
}

function fieldOf(error: unknown): SubmitField {
  const field = error instanceof ApiError ? (error.field?.split(/[.[]/)[0] ?? '') : '';
  if (field === 'prompt' || field === 'command') return 'work';
  if (field === 'cwd' || field === 'cwds') return 'cwd';
  return field === 'agent' || field === 'name' ? field : 'form';
}

function sortTrouble(error: unknown, words: PageWords): SubmitTrouble {
  const field = fieldOf(error);
  // Beside its field the host's own sentence says most; the general words are for everything else.
  const trouble: Trouble =
    field !== 'form' && error instanceof ApiError
      ? { text: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }
      : troubleOf(error, words);
  return { [field]: trouble };
}

function nameOf(draft: SubmitDraft): string {
  const text = draft.name.trim() || (draft.kind === 'command' ? draft.command : draft.prompt).trim();
  const line = text.split('\n', 1)[0] ?? '';
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

function useSubmit(form: () => HTMLFormElement | null) {
  const { call } = useBackend();
  const words = useWords();
  const draft = usePageState((state) => state.draft);
  const clearDraft = usePageState((state) => state.clearDraft);
  const notify = usePageState((state) => state.notify);
  const [trouble, setTrouble] = useState<SubmitTrouble>({});
  // One key per draft: a second click or a retry after a lost answer never starts it twice.
  const key = useRef<{ draft: SubmitDraft; id: string }>(undefined);
  const mutation = useMutation({
    mutationFn: (sent: SubmitDraft) => {
      if (key.current?.draft !== sent) key.current = { draft: sent, id: crypto.randomUUID() };
      return call('submitRun', { body: bodyOf(sent), idempotencyKey: key.current.id });
    },
    onSuccess: (_answer, sent) => {
      key.current = undefined;
      clearDraft();
      notify({ tone: 'done', text: words.submit.done(nameOf(sent)) });
    },
    onError: (error) => {
      setTrouble(sortTrouble(error, words));
      form()
        ?.querySelector<HTMLElement>(`[data-field="${fieldOf(error)}"]`)
        ?.focus();
    },
  });
  const submit = () => {
    if (mutation.isPending) return;
    const text = draft.kind === 'command' ? draft.command : draft.prompt;
    if (text.trim() === '') {
      setTrouble({
        work: { text: draft.kind === 'command' ? words.submit.needCommand : words.submit.needPrompt },
      });
      form()?.querySelector<HTMLElement>('[data-field="work"]')?.focus();
      return;
    }
    setTrouble({});
    mutation.mutate(draft);
  };
  return { submit, trouble, pending: mutation.isPending };
}

/** Submits a task that runs once, at once. */
export function SubmitBox() {
  const words = useWords();
  const form = useRef<HTMLFormElement>(null);
  const { submit, trouble, pending } = useSubmit(() => form.current);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <Section title={words.submit.title} aside={<KindChoice />} className="submit">
      <form ref={form} onSubmit={onSubmit} onKeyDown={onKeyDown} className="stack" noValidate>
        <NoAgent />
        <WorkField error={trouble.work} />
        <SmallFields agent={trouble.agent} cwd={trouble.cwd} name={trouble.name} />
        {trouble.form !== undefined && (
          <p className="field-error" role="alert">
            {trouble.form.text}
            {trouble.form.hint !== undefined && <span className="trouble-hint">{trouble.form.hint}</span>}
          </p>
        )}
        <div className="submit-foot">
          <Button look="strong" submits disabled={pending}>
            {pending ? `${words.submit.sending}…` : words.submit.send}
            <kbd>{words.submit.keys}</kbd>
          </Button>
        </div>
      </form>
    </Section>
  );
}
