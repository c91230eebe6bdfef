import type { Clock } from '../../src-shared/clock.ts';
import type { AgentReader, AgentReport } from '../../src-shared/executors/agent-stream.ts';
import type { Outcome, OutcomePart } from '../../src-shared/model/outcome.ts';
import { changeBook } from './changes/change-book.ts';
import { type ChildResult, folderProblem, type RunningChild, startChild } from './child.ts';
import type { ExecutorPort } from './executor-port.ts';
import { outputSink, type PartText } from './output-sink.ts';
import type { OutputChunk, StartRequest } from './protocol.ts';
import { reported } from './reports.ts';

/** Why a run is stopped. `host_gone` leaves no outcome: the next host settles such a run as interrupted. */
export type StopReason =
  | 'timed_out'
  | 'idle'
  | 'needs_input'
  | 'user'
  | 'service_stopped'
  | 'heartbeat_expired'
  | 'host_gone';

type Ending = Pick<Outcome, 'result' | 'reason' | 'detail'>;

/** Time between TERM and KILL when a run is stopped for a reason of its own. */
export const stopGraceMs = 5000;

export interface RunOptions {
  request: StartRequest;
  /** Undefined for a kind that this version does not know. */
  executor: ExecutorPort | undefined;
  clock: Clock;
  /** Called for each child (one per working folder), before any of its output. */
  onStarted(pid: number, startedAt: number | null): void;
  onOutput(chunks: OutputChunk[], output_bytes: number, dropped_bytes: number): void;
}

export interface FinishedRun {
  outcome: Outcome;
  stopped: StopReason | null;
  /** Names of processes that could not be ended. */
  survivors: string[];
}

export interface ActiveRun {
  /** Never rejects. */
  finished: Promise<FinishedRun>;
  /** The first reason wins; a later call only shortens the grace. */
  stop(why: StopReason, graceMs: number): void;
  pause(): void;
  resume(): void;
}

const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;

function stoppedEnding(why: StopReason, request: StartRequest): Ending {
  switch (why) {
    case 'timed_out':
      return {
        result: 'open',
        reason: why,
        detail: `stopped after its time limit of ${seconds(request.timeout_ms)}`,
      };
    case 'idle':
      return {
        result: 'open',
        reason: why,
        detail: `stopped after ${seconds(request.idle_timeout_ms)} without any output`,
      };
    case 'needs_input':
      return { result: 'open', reason: why, detail: 'stopped: it asks for a permission or an answer' };
    case 'user':
      return { result: 'cancelled', reason: 'cancelled', detail: null };
    case 'host_gone':
      return { result: 'failure', reason: 'interrupted', detail: null };
    default:
      return { result: 'failure', reason: why, detail: null };
  }
}

const success: Ending = { result: 'success', reason: null, detail: null };

/** Stops the run when its time is over or nothing was heard of it for too long. */
function limits(request: StartRequest, clock: Clock, stop: (why: StopReason) => void) {
  let heard = clock.monotonic();
  let paused = false;
  let cancelIdle = () => {};
  const cancelTimeout =
    request.timeout_ms > 0 ? clock.timer(request.timeout_ms, () => stop('timed_out')) : () => {};

  function watchSilence(ms: number): void {
    cancelIdle = clock.timer(ms, () => {
      // While we do not read, silence is ours. One timer is moved on instead of one being set per chunk.
      if (paused) return watchSilence(request.idle_timeout_ms);
      const left = heard + request.idle_timeout_ms - clock.monotonic();
      if (left <= 0) stop('idle');
      else watchSilence(left);
    });
  }
  if (request.idle_timeout_ms > 0) watchSilence(request.idle_timeout_ms);

  return {
    heard(): void {
      heard = clock.monotonic();
    },
    pause(now: boolean): void {
      paused = now;
      heard = clock.monotonic();
    },
    end(): void {
      cancelTimeout();
      cancelIdle();
    },
  };
}

/** What the folders of a run gave so far, and the outcome it makes. */
function ledger(clock: Clock) {
  const started_at = clock.now();
  const parts: OutcomePart[] = [];
  const survivors: string[] = [];
  const reports: AgentReport[] = [];
  let has_text = false;
  return {
    survivors,
    add(
      cwd: string,
      end: Pick<ChildResult, 'exit_code' | 'signal' | 'survivors'>,
      text: PartText | null,
      report: AgentReport | null,
    ): void {
      parts.push({ cwd, output: text?.output ?? '', exit_code: end.exit_code, signal: end.signal });
      survivors.push(...end.survivors);
      has_text ||= text?.has_text ?? false;
      if (report !== null) reports.push(report);
    },
    outcome(ending: Ending, totals: Pick<Outcome, 'output_bytes' | 'output_dropped_bytes'>): Outcome {
      const last = parts.at(-1);
      const told = reported(reports);
      return {
        ...ending,
        exit_code: last?.exit_code ?? null,
        signal: last?.signal ?? null,
        has_text,
        external_action: false,
        summary: parts.findLast(({ output }) => output.trim() !== '')?.output ?? '',
        parts,
        ...totals,
        changes: [],
        ...told,
        question: ending.reason === 'needs_input' ? told.question : null,
        started_at,
        finished_at: clock.now(),
      };
    },
  };
}

/** The one child of a run that is alive, if any, with what holds for the next one too. */
function childSlot() {
  let child: RunningChild | null = null;
  let paused = false;
  return {
    async hold(started: RunningChild): Promise<ChildResult> {
      child = started;
      if (paused) child.pause();
      const end = await child.ended;
      child = null;
      return end;
    },
    stop: (graceMs: number) => child?.stop(graceMs),
    pause(now: boolean): void {
      paused = now;
      if (now) child?.pause();
      else child?.resume();
    },
  };
}

/** Carries out one request: its folders in order, until one fails or the run is stopped. Never throws. */
export function carryOut(options: RunOptions): ActiveRun {
  const { request, clock } = options;
  const sink = outputSink({
    clock,
    cap: request.output_cap_bytes,
    secrets: request.secrets ?? [],
    emit: options.onOutput,
  });
  const limit = limits(request, clock, (why) => stop(why, stopGraceMs));
  const result = ledger(clock);
  const slot = childSlot();
  const book = changeBook({ request, clock, note: sink.system });
  let stopped: StopReason | null = null;

  function stop(why: StopReason, graceMs: number): void {
    stopped ??= why;
    book.stop(why === 'host_gone');
    slot.stop(graceMs);
  }

  async function inFolder(cwd: string): Promise<Ending> {
    const program = programFor(options, cwd);
    if ('reason' in program) {
      result.add(cwd, { exit_code: null, signal: null, survivors: [] }, null, null);
      return program;
    }
    await book.before(cwd);
    if (stopped !== null) return stoppedEnding(stopped, request);
    limit.heard();
    const reader: AgentReader | null = options.executor?.reader?.(request) ?? null;
    sink.readWith(reader);
    const data = (stream: 'stdout' | 'stderr', bytes: Uint8Array) => {
      limit.heard();
      sink.write(stream, bytes);
      // Nobody is there to answer: the next run of its session brings the answer.
      if ((reader?.report().question ?? null) !== null) stop('needs_input', stopGraceMs);
    };
    const spec = { ...program, runId: request.run_id, cwd, env: request.env, stdin: request.stdin };
    const end = await slot.hold(startChild(spec, { started: options.onStarted, data }, clock));
    const text = sink.endPart();
    const report = reader?.report() ?? null;
    result.add(cwd, end, text, report);
    if (end.left.length > 0) sink.system(`left running and stopped: ${end.left.join(', ')}\n`);
    const ending = endingOf(options, end, { ...text, report }, stopped);
    await book.after(cwd, end.stopped);
    return ending;
  }

  async function all(): Promise<Ending> {
    for (const cwd of request.cwds) {
      if (stopped !== null) return stoppedEnding(stopped, request);
      if (request.cwds.length > 1) sink.system(`in ${cwd}\n`);
      const ending = await inFolder(cwd);
      if (ending.result !== 'success') return ending;
    }
    return request.cwds.length > 0 ? success : invalid('no working folder is given');
  }

  function finish(ending: Ending): FinishedRun {
    const { survivors } = result;
    limit.end();
    if (survivors.length > 0) sink.system(`could not be stopped: ${survivors.join(', ')}\n`);
    const changes = book.result();
    const outcome = masked(result.outcome(ending, sink.close()), sink.mask);
    return { outcome: { ...outcome, ...changes }, stopped, survivors };
  }

  function pause(now: boolean): void {
    limit.pause(now);
    slot.pause(now);
  }

  // Not in this turn: whoever asked can still stop it before anything is started.
  const finished = Promise.resolve()
    .then(all)
    .catch((error: unknown): Ending => ({ result: 'failure', reason: 'crash', detail: String(error) }))
    .then(finish);
  return { finished, stop, pause: () => pause(true), resume: () => pause(false) };
}

/** What an executor made of a stream did not pass the masks of the sink. */
function masked(outcome: Outcome, mask: (text: string) => string): Outcome {
  const hide = (text: string | null) => (text === null ? null : mask(text));
  return { ...outcome, question: hide(outcome.question), detail: hide(outcome.detail) };
}

const invalid = (detail: string): Ending => ({ result: 'failure', reason: 'invalid', detail });

function programFor({ request, executor }: RunOptions, cwd: string) {
  if (executor === undefined) return invalid(`this version cannot carry out the kind ${request.kind}`);
  const program = executor.program(request, process.platform);
  if ('refused' in program) return invalid(program.refused);
  const problem = folderProblem(cwd);
  if (problem !== null) return { result: 'failure', reason: 'cwd_missing', detail: problem } satisfies Ending;
  return program;
}

/** A stop counts only when it found the child alive: an end of its own that came first stands. */
function endingOf(
  { request, executor }: RunOptions,
  end: ChildResult,
  told: PartText & { report: AgentReport | null },
  stopped: StopReason | null,
): Ending {
  if (end.failed !== null) return { result: 'failure', reason: 'spawn', detail: end.failed };
  if (stopped !== null && end.stopped) {
    const ending = stoppedEnding(stopped, request);
    if (end.survivors.length === 0) return ending;
    return { ...ending, detail: `could not be stopped: ${end.survivors.join(', ')}` };
  }
  return executor?.judge({ ...end, ...told }) ?? invalid('no executor');
}
