import type { Context } from 'hono';
import { ApiError } from '../../src-shared/contract/errors.ts';
import type { ApiDeps } from './handler.ts';
import { eventStream, eventStreamHeaders } from './sse.ts';

/** The one multiplexed event stream: every change of a row, and the output of runs as it comes. */
export function eventHandler(deps: ApiDeps) {
  return (c: Context): Response => {
    const { events, ctx } = deps;
    if (events === null) throw new ApiError('no_engine', 'No engine runs here, so there are no events');
    const stream = eventStream({
      subscribe: events.subscribe,
      clock: ctx.clock,
      signal: c.req.raw.signal,
      lastEventId: c.req.header('Last-Event-ID') ?? null,
    });
    return new Response(stream, { headers: eventStreamHeaders });
  };
}
