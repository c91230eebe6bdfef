import { type ReactNode, type Ref, useId } from 'react';

interface SectionProps {
  title: string;
  /** Beside the heading: a count, a switch of views. */
  aside?: ReactNode;
  className?: string;
  /** Where the focus goes when the thing that had it is gone. */
  headingRef?: Ref<HTMLHeadingElement>;
  children: ReactNode;
}

/** A part of the page with its heading, found as a landmark by its name. */
export function Section({ title, aside, className, headingRef, children }: SectionProps) {
  const id = useId();
  return (
    <section className={className === undefined ? 'section' : `section ${className}`} aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id} ref={headingRef} tabIndex={-1}>
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
