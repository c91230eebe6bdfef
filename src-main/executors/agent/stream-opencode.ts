import { brief, count, type Event, micros, object, text } from './event.ts';
import { failureKind } from './failure-kind.ts';
import { type Format, streamReader, type Tell } from './stream-reader.ts';

/** A permission is asked and refused in one line of stderr; there is no event for it. */
const refused = /permission requested: (.+?)(?:; auto-rejecting|\n|$)/;

function tool(part: Event, tell: Tell): void {
  const state = object(part['state']);
  tell.note(`⚙ ${text(part['tool']) ?? 'tool'} ${brief(state['input'])}`);
}

function stepEnded(part: Event, tell: Tell): void {
  const tokens = object(part['tokens']);
  const cache = object(tokens['cache']);
  const cached = count(cache['read']);
  tell.spent({
    input_tokens: count(tokens['input']) + cached + count(cache['write']),
    output_tokens: count(tokens['output']),
    cached_input_tokens: cached,
    reasoning_tokens: count(tokens['reasoning']),
    cost_micros: micros(part['cost']),
  });
  if (part['reason'] === 'stop') tell.recovered();
}

function failed(error: Event, tell: Tell): void {
  const data = object(error['data']);
  const message =
    text(data['message']) ?? text(error['message']) ?? text(error['name']) ?? 'an error without words';
  const status = count(data['statusCode']);
  tell.fail(failureKind(`${text(error['name']) ?? ''} ${message}`, status === 0 ? null : status), message);
}

const format: Format = {
  provider: null,
  // It just ends when the session is idle.
  hasEnd: false,
  event(event, tell) {
    tell.session(event['sessionID']);
    const part = object(event['part']);
    switch (event['type']) {
      case 'text': {
        const words = text(part['text']);
        return words === null ? undefined : tell.say(words);
      }
      case 'tool_use':
        return tool(part, tell);
      case 'step_finish':
        return stepEnded(part, tell);
      case 'error':
        return failed(object(event['error']), tell);
      default:
        return;
    }
  },
  errorLine(line, tell) {
    const asked = refused.exec(line)?.[1];
    if (asked !== undefined) tell.ask(`Allow ${asked}?`);
  },
};

/**
 * `opencode run --format json`: https://opencode.ai/docs/cli and packages/opencode/src/cli/cmd/run.ts. Input tokens
 * leave out the cache. It does not tell the model.
 */
export const opencodeReader = () => streamReader(format);
