import { clsx } from 'clsx';
import type { ComponentProps } from 'react';

interface ButtonProps extends Omit<ComponentProps<'button'>, 'type'> {
  look?: 'plain' | 'strong' | 'quiet';
  /** Submits its form; every other button does not. */
  submits?: boolean;
}

/** A button. Only state has colour on this page, so buttons are ink and grey. */
export function Button({ look = 'plain', submits = false, className, ...rest }: ButtonProps) {
  return (
    <button
      type={submits ? 'submit' : 'button'}
      className={clsx('button', `button-${look}`, className)}
      {...rest}
    />
  );
}
