import { Bot, Terminal } from 'lucide-react';
import { useId } from 'react';
import { usePageState, useWords } from '../page-context.ts';
import type { Trouble } from '../store/actions.ts';
import { useInfo } from '../store/queries.ts';
import { Field } from '../ui/field.tsx';

type Error = Trouble | undefined;

/** Agent or command: what carries the task out. */
export function KindChoice() {
  const words = useWords();
  const kind = usePageState((state) => state.draft.kind);
  const edit = usePageState((state) => state.editDraft);
  const name = useId();
  const choices = [
    { value: 'agent', label: words.submit.agent, Icon: Bot },
    { value: 'command', label: words.submit.command, Icon: Terminal },
  ] as const;
  return (
    <fieldset className="choice">
      <legend className="hidden">{words.submit.kind}</legend>
      {choices.map(({ value, label, Icon }) => (
        <label key={value}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={kind === value}
            onChange={() => edit({ kind: value })}
          />
          <span>
            <Icon aria-hidden="true" />
            {label}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** What to set up, when there is no agent. */
export function NoAgent() {
  const words = useWords();
  const kind = usePageState((state) => state.draft.kind);
  const agents = useInfo().data?.agents;
  if (kind !== 'agent' || agents === undefined || agents.length > 0) return null;
  return (
    <p className="hint-box" role="note">
      {words.submit.noAgent}
    </p>
  );
}

/** Which agent, when there is more than one. */
function AgentChoice({ error }: { error: Error }) {
  const words = useWords();
  const kind = usePageState((state) => state.draft.kind);
  const agent = usePageState((state) => state.draft.agent);
  const edit = usePageState((state) => state.editDraft);
  const agents = useInfo().data?.agents;
  if (kind !== 'agent' || agents === undefined) return null;
  if (agents.length < 2 && error === undefined) return null;
  const own = agents.find((one) => one.default) ?? agents[0];
  return (
    <Field label={words.submit.agentChoice} error={error}>
      {(control) => (
        <select
          {...control}
          data-field="agent"
          className="input"
          value={agent}
          onChange={(event) => edit({ agent: event.target.value })}
        >
          <option value="">{words.submit.agentDefault(own?.name ?? '')}</option>
          {agents
            .filter((one) => one !== own)
            .map((one) => (
              <option key={one.name} value={one.name}>
                {one.name}
              </option>
            ))}
        </select>
      )}
    </Field>
  );
}

/** The prompt or the command line. */
export function WorkField({ error }: { error: Error }) {
  const words = useWords();
  const draft = usePageState((state) => state.draft);
  const edit = usePageState((state) => state.editDraft);
  if (draft.kind === 'command') {
    return (
      <Field label={words.submit.commandLine} error={error}>
        {(control) => (
          <textarea
            {...control}
            data-field="work"
            className="input mono"
            rows={3}
            spellCheck={false}
            autoCapitalize="off"
            placeholder={words.submit.commandPlaceholder}
            value={draft.command}
            onChange={(event) => edit({ command: event.target.value })}
          />
        )}
      </Field>
    );
  }
  return (
    <Field label={words.submit.prompt} error={error}>
      {(control) => (
        <textarea
          {...control}
          data-field="work"
          className="input"
          rows={3}
          placeholder={words.submit.promptPlaceholder}
          value={draft.prompt}
          onChange={(event) => edit({ prompt: event.target.value })}
        />
      )}
    </Field>
  );
}

/** Agent, folder and name: what has a default. */
export function SmallFields({ agent, cwd, name }: { agent: Error; cwd: Error; name: Error }) {
  const words = useWords();
  const draft = usePageState((state) => state.draft);
  const edit = usePageState((state) => state.editDraft);
  return (
    <div className="field-pair">
      <AgentChoice error={agent} />
      <Field label={words.submit.folder} optional error={cwd}>
        {(control) => (
          <input
            {...control}
            data-field="cwd"
            className="input mono"
            spellCheck={false}
            autoCapitalize="off"
            value={draft.cwd}
            onChange={(event) => edit({ cwd: event.target.value })}
          />
        )}
      </Field>
      <Field label={words.submit.name} optional error={name}>
        {(control) => (
          <input
            {...control}
            data-field="name"
            className="input"
            maxLength={200}
            value={draft.name}
            onChange={(event) => edit({ name: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}
