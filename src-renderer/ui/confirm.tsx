import { useEffect, useId, useRef } from 'react';
import { useWords } from '../page-context.ts';
import { Button } from './button.tsx';

interface ConfirmProps {
  title: string;
  text: string;
  verb: string;
  onConfirm(): void;
  onClose(): void;
}

/** Asks before something is done that is not undone by a click. The focus returns to its opener by itself. */
export function Confirm({ title, text, verb, onConfirm, onClose }: ConfirmProps) {
  const words = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
  }, []);
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <p>{text}</p>
      <div className="dialog-actions">
        <Button onClick={() => dialog.current?.close()}>{words.verbs.keep}</Button>
        <Button
          look="strong"
          onClick={() => {
            onConfirm();
            dialog.current?.close();
          }}
        >
          {verb}
        </Button>
      </div>
    </dialog>
  );
}
