import { brief, count, type Event, object, objects, text } from './event.ts';
import { failureKind } from './failure-kind.ts';
import { type Format, streamReader, type Tell } from './stream-reader.ts';

function begun(item: Event, tell: Tell): void {
  if (item['type'] === 'command_execution') tell.note(`⚙ ${brief(item['command'])}`);
  if (item['type'] === 'mcp_tool_call') {
    tell.note(`⚙ ${text(item['server']) ?? ''} ${text(item['tool']) ?? 'tool'} ${brief(item['arguments'])}`);
  }
}

function done(item: Event, tell: Tell): void {
  switch (item['type']) {
    case 'agent_message': {
      const message = text(item['text']);
      if (message !== null) tell.say(message);
      return;
    }
    case 'file_change':
      for (const change of objects(item['changes'])) {
        tell.note(`⚙ ${text(change['kind']) ?? 'change'} ${text(change['path']) ?? ''}`);
      }
      return;
    case 'web_search':
      tell.note(`⚙ search ${brief(item['query'])}`);
      return;
    case 'error':
      // An item of this type is a warning: the turn goes on.
      tell.note(`! ${brief(item['message'])}`);
      return;
    default:
      return;
  }
}

function fail(message: unknown, tell: Tell): void {
  const words = text(message) ?? 'the agent reported an error without words';
  tell.fail(failureKind(words), words);
}

function questions(event: Event): string {
  const asked = objects(event['questions'])
    .map(({ question }) => text(question))
    .filter((question) => question !== null);
  return asked.join('\n') || 'The agent asks a question';
}

const format: Format = {
  provider: 'openai',
  hasEnd: true,
  event(event, tell) {
    switch (event['type']) {
      case 'thread.started':
        return tell.session(event['thread_id']);
      case 'item.started':
        return begun(object(event['item']), tell);
      case 'item.completed':
        return done(object(event['item']), tell);
      case 'turn.completed': {
        const usage = object(event['usage']);
        tell.spent({
          input_tokens: count(usage['input_tokens']),
          output_tokens: count(usage['output_tokens']),
          cached_input_tokens: count(usage['cached_input_tokens']),
          reasoning_tokens: count(usage['reasoning_output_tokens']),
        });
        // `error` is also told of each attempt to connect again; a turn that completes has got over it.
        tell.recovered();
        return tell.finished();
      }
      case 'turn.failed':
        fail(object(event['error'])['message'], tell);
        return tell.finished();
      case 'error':
        return fail(event['message'], tell);
      case 'request_user_input':
        return tell.ask(questions(event));
      default:
        return;
    }
  },
};

/**
 * `codex exec --json`: https://developers.openai.com/codex/noninteractive and codex-rs/exec/src/exec_events.rs of
 * openai/codex. It tells neither model nor cost.
 */
export const codexReader = () => streamReader(format);
