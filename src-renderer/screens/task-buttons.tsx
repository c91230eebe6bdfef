import { Pause, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Automation } from '../../src-shared/model/automation.ts';
import { usePageState, useWords } from '../page-context.ts';
import { useAutomationAction, useRunNow } from '../store/actions.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';

interface TaskProps {
  automation: Automation;
}

/** Runs the task now, whatever its schedule says. */
export function RunNowButton({ automation }: TaskProps) {
  const words = useWords();
  const run = useRunNow();
  return (
    <Button
      disabled={run.isPending}
      aria-label={words.about(words.verbs.runNow, automation.name)}
      onClick={() => run.mutate({ id: automation.id, name: automation.name })}
    >
      {words.verbs.runNow}
    </Button>
  );
}

/** Pauses an active task, resumes a paused one. */
export function PauseButton({ automation }: TaskProps) {
  const words = useWords();
  const notify = usePageState((state) => state.notify);
  const say = (text: string) => () => notify({ tone: 'done', text });
  const pause = useAutomationAction('pauseAutomation', say(words.tasks.paused(automation.name)));
  const resume = useAutomationAction('resumeAutomation', say(words.tasks.resumed(automation.name)));
  const paused = automation.status === 'PAUSED';
  const verb = paused ? words.verbs.resume : words.verbs.pause;
  const Icon = paused ? Play : Pause;
  const toggle = () => {
    const params = { id: automation.id };
    if (paused) resume.mutate({ params });
    else pause.mutate({ params, body: {} });
  };
  return (
    <Button
      look="quiet"
      disabled={pause.isPending || resume.isPending}
      aria-label={words.about(verb, automation.name)}
      title={verb}
      onClick={toggle}
    >
      <Icon aria-hidden="true" />
    </Button>
  );
}

/** Deletes a task after asking; its history stays. */
export function DeleteButton({ automation }: TaskProps) {
  const words = useWords();
  const notify = usePageState((state) => state.notify);
  const remove = useAutomationAction('deleteAutomation', () =>
    notify({ tone: 'done', text: words.tasks.deleted(automation.name) }),
  );
  const [asking, setAsking] = useState(false);
  const confirm = () => remove.mutate({ params: { id: automation.id } });
  return (
    <>
      <Button
        look="quiet"
        disabled={remove.isPending}
        aria-label={words.about(words.verbs.delete, automation.name)}
        title={words.verbs.delete}
        onClick={() => setAsking(true)}
      >
        <Trash2 aria-hidden="true" />
      </Button>
      {asking && (
        <Confirm
          title={words.tasks.deleteTitle(automation.name)}
          text={words.tasks.deleteText}
          verb={words.verbs.delete}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
