import type { Run } from '../../src-shared/model/run.ts';
import { useWords } from '../page-context.ts';
import { useRunAction } from '../store/actions.ts';
import { Button } from '../ui/button.tsx';

/** Stops a running run, cancels a waiting one. It stays clickable: a stop that hangs can be asked for again. */
export function CancelButton({ run }: { run: Run }) {
  const words = useWords();
  const cancel = useRunAction('cancelRun');
  const running = run.status === 'IN_PROGRESS';
  const verb = running ? words.verbs.stop : words.verbs.cancel;
  const asked = running && cancel.isSuccess;
  const label = asked ? `${words.queue.stopping}…` : verb;
  return (
    <Button
      disabled={cancel.isPending}
      aria-label={words.about(label, run.title)}
      onClick={() => cancel.mutate({ params: { id: run.id } })}
    >
      {label}
    </Button>
  );
}
