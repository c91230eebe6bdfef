import { type ReactNode, useId } from 'react';
import { useWords } from '../page-context.ts';
import type { Trouble } from '../store/actions.ts';

interface FieldProps {
  label: string;
  optional?: boolean;
  hint?: string;
  error?: Trouble | undefined;
  /** The control; it takes the id and what describes it. */
  children(control: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean;
  }): ReactNode;
}

/** A labelled control with its hint and, under it, what is wrong with it. */
export function Field({ label, optional = false, hint, error, children }: FieldProps) {
  const words = useWords();
  const id = useId();
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`];
  const describedBy = described.filter((part) => part !== '').join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {optional && <span className="field-optional"> {words.submit.optional}</span>}
      </label>
      {children({
        id,
        'aria-describedby': describedBy === '' ? undefined : describedBy,
        'aria-invalid': error !== undefined,
      })}
      {hint !== undefined && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p className="field-error" id={`${id}-error`} role="alert">
          {error.text}
          {error.hint !== undefined && <span className="trouble-hint">{error.hint}</span>}
        </p>
      )}
    </div>
  );
}
