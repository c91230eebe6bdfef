import type { FailureReason } from '../../../src-shared/model/outcome.ts';
import { brief, count, type Event, micros, object, objects, text } from './event.ts';
import { failureKind } from './failure-kind.ts';
import type { Format, Tell } from './stream-reader.ts';

/**
 * The stream that Claude Code made and CodeBuddy Code and Qwen Code speak too: one message per line, `system`,
 * `assistant`, `user`, and `result` at the end. What differs is an option.
 */
export interface MessagesOptions {
  provider: string | null;
  /** `input_tokens` leaves out what came from the cache (Anthropic), or counts it in. */
  cacheBeside: boolean;
}

/** The `error` of an assistant message in the Agent SDK's types. */
const assistantErrors: Readonly<Record<string, FailureReason>> = {
  authentication_failed: 'auth',
  billing_error: 'credit',
  rate_limit: 'rate_limit',
  invalid_request: 'model',
  server_error: 'network',
};

/** Tools that are a question to the person. */
const askingTools = new Set(['AskUserQuestion', 'ask_user_question']);
/** In plan mode the plan is the answer that was asked for; that nobody approved it on the spot is no question. */
const planTools = new Set(['ExitPlanMode', 'exit_plan_mode']);

function questionOf(input: unknown): string {
  const questions = objects(object(input)['questions'])
    .map(({ question }) => text(question))
    .filter((question) => question !== null);
  return (
    questions.join('\n') || (text(object(input)['question']) ?? (brief(input) || 'The agent asks a question'))
  );
}

const permissionQuestion = (tool: unknown, input: unknown): string =>
  `Allow ${text(tool) ?? 'a tool'}? ${brief(input)}`;

function assistant(event: Event, tell: Tell): void {
  const message = object(event['message']);
  const ofSubagent = text(event['parent_tool_use_id']) !== null;
  const error = text(event['error']);
  const said: string[] = [];
  tell.model(ofSubagent ? null : message['model']);
  for (const block of objects(message['content'])) {
    const words = text(block['text']);
    if (block['type'] === 'text' && words !== null) {
      if (!ofSubagent) said.push(words);
    } else if (block['type'] === 'tool_use') {
      for (const part of said.splice(0)) tell.say(part);
      tell.note(`⚙ ${text(block['name']) ?? 'tool'} ${brief(block['input'])}`);
      if (askingTools.has(String(block['name']))) tell.ask(questionOf(block['input']));
    }
  }
  if (error !== null) {
    // The text of such a message is the provider's complaint, not an answer.
    const detail = said.join('\n') || error;
    tell.fail(assistantErrors[error] ?? failureKind(`${error} ${detail}`), detail);
    return;
  }
  for (const part of said) tell.say(part);
  tell.recovered();
}

function spent(event: Event, tell: Tell, options: MessagesOptions): void {
  const usage = object(event['usage']);
  const cost_micros = micros(event['total_cost_usd']);
  if (Object.keys(usage).length === 0 && cost_micros === null) return;
  const cached = count(usage['cache_read_input_tokens']);
  const beside = options.cacheBeside ? cached + count(usage['cache_creation_input_tokens']) : 0;
  tell.spent({
    input_tokens: count(usage['input_tokens']) + beside,
    output_tokens: count(usage['output_tokens']),
    cached_input_tokens: cached,
    cost_micros,
  });
}

function complaintOf(event: Event): string {
  const errors = Array.isArray(event['errors'])
    ? event['errors'].filter((error) => text(error) !== null)
    : [];
  const own = text(object(event['error'])['message']) ?? text(event['error']) ?? text(event['result']);
  return own ?? (errors.join('; ') || `the agent ended with ${text(event['subtype']) ?? 'an error'}`);
}

function result(event: Event, tell: Tell, options: MessagesOptions, failed: boolean): void {
  spent(event, tell, options);
  tell.finished();
  if (event['is_error'] === true || (text(event['subtype']) ?? 'success') !== 'success') {
    const complaint = complaintOf(event);
    // What the assistant's message was marked with is more exact than words.
    if (!failed) tell.fail(failureKind(complaint), complaint);
    return;
  }
  const words = text(event['result']);
  if (words !== null && !tell.said() && !failed) tell.say(words);
  const denied = objects(event['permission_denials']).filter(
    (one) => !planTools.has(String(one['tool_name'])),
  );
  const first = denied[0];
  if (first === undefined) return;
  const asks = askingTools.has(String(first['tool_name']));
  tell.ask(
    asks
      ? questionOf(first['tool_input'])
      : denied.map((one) => permissionQuestion(one['tool_name'], one['tool_input'])).join('\n'),
  );
}

/** A question of the control protocol: nobody is there to answer it on stdin. */
function control(event: Event, tell: Tell): void {
  const request = object(event['request']);
  if (request['subtype'] !== 'can_use_tool') return;
  if (askingTools.has(String(request['tool_name']))) tell.ask(questionOf(request['input']));
  else tell.ask(permissionQuestion(request['tool_name'], request['input']));
}

/** The format with these options; made anew for each reader, for it remembers whether the last message failed. */
export function messagesFormat(options: MessagesOptions): Format {
  let failed = false;
  return {
    provider: options.provider,
    hasEnd: true,
    event(event, tell) {
      tell.session(event['session_id']);
      switch (event['type']) {
        case 'system':
          return tell.model(event['model']);
        case 'assistant':
          failed = text(event['error']) !== null;
          return assistant(event, tell);
        case 'control_request':
          return control(event, tell);
        case 'result':
          return result(event, tell, options, failed);
        default:
          return;
      }
    },
  };
}
