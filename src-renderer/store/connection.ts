import type { StateCreator } from 'zustand/vanilla';
import type { SignInProblem } from '../backend.ts';

export type SessionState =
  | { kind: 'checking' }
  | { kind: 'open' }
  | { kind: 'closed'; problem: SignInProblem | 'expired' | undefined };
export type LinkState = { kind: 'connecting' } | { kind: 'live' } | { kind: 'waiting'; until: number };

export interface ConnectionSlice {
  session: SessionState;
  /** The event stream. */
  link: LinkState;
  /** Counts the times the stream came alive; live output reads on after each. */
  linkEpoch: number;
  setSession(session: SessionState): void;
  setLink(link: LinkState): void;
}

export const connectionSlice: StateCreator<ConnectionSlice> = (set) => ({
  session: { kind: 'checking' },
  link: { kind: 'connecting' },
  linkEpoch: 0,
  setSession: (session) => set({ session }),
  setLink: (link) =>
    set(({ linkEpoch }) => ({ link, linkEpoch: link.kind === 'live' ? linkEpoch + 1 : linkEpoch })),
});
