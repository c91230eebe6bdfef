import { brief, count, type Event, object, text } from './event.ts';
import { failureKind } from './failure-kind.ts';
import { type Format, streamReader, type Tell } from './stream-reader.ts';

/** How it reports a tool that a person would have to allow; there is no event for it. */
const needsPerson = /requires user (confirmation|approval)/i;

function message(event: Event, tell: Tell): void {
  const words = text(event['content']);
  if (event['role'] !== 'assistant' || words === null) return;
  if (event['delta'] === true) tell.sayOn(words);
  else tell.say(words);
}

function errorWords(error: Event): string {
  const type = text(error['type']);
  return `${type === null ? '' : `${type}: `}${text(error['message']) ?? 'an error without words'}`;
}

function result(event: Event, tell: Tell): void {
  const stats = object(event['stats']);
  if (Object.keys(stats).length > 0) {
    tell.spent({
      input_tokens: count(stats['input_tokens']),
      output_tokens: count(stats['output_tokens']),
      cached_input_tokens: count(stats['cached']),
    });
  }
  tell.finished();
  if (event['status'] === 'error') fail(errorWords(object(event['error'])), tell);
  else tell.recovered();
}

function fail(words: string, tell: Tell): void {
  if (needsPerson.test(words)) tell.ask(words);
  tell.fail(failureKind(words), words);
}

const format: Format = {
  provider: 'google',
  hasEnd: true,
  event(event, tell) {
    switch (event['type']) {
      case 'init':
        tell.session(event['session_id']);
        return tell.model(event['model']);
      case 'message':
        return message(event, tell);
      case 'tool_use':
        return tell.note(`⚙ ${text(event['tool_name']) ?? 'tool'} ${brief(event['parameters'])}`);
      case 'tool_result': {
        const words = errorWords(object(event['error']));
        return event['status'] === 'error' && needsPerson.test(words) ? tell.ask(words) : undefined;
      }
      case 'error': {
        const words = text(event['message']) ?? 'an error without words';
        return event['severity'] === 'warning' ? tell.note(`! ${brief(words)}`) : fail(words, tell);
      }
      case 'result':
        return result(event, tell);
      default:
        return;
    }
  },
};

/**
 * `gemini --output-format stream-json`: https://geminicli.com/docs/cli/headless and
 * packages/core/src/output/types.ts of google-gemini/gemini-cli. It tells no cost.
 */
export const geminiReader = () => streamReader(format);
