/** What a caller may do: `read` only looks, `run` only starts tasks and follows them, `admin` everything. */
export type Scope = 'run' | 'read' | 'admin';

/** Who asks, as its door has proved it. Handlers trust this and nothing in the request. */
export interface Actor {
  /** The port, the window's own scheme, or the process itself (command line without a host, tests). */
  door: 'http' | 'window' | 'process';
  /** Row of `tokens`, or a fixed name: `admin` for the file `token`, `anonymous` for none. */
  token_id: string;
  scope: Scope;
  /** No token was shown: an open route, or the setting that accepts programs of this machine without one. */
  anonymous: boolean;
}
