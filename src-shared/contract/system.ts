import { runSchema } from '../model/run.ts';
import { scheduleSchema } from '../schedules/index.ts';
import { answer, body, createRoute, errorAnswers, z } from './route.ts';

const run = runSchema.openapi('Run');
const words = z.object({ en: z.string(), zh: z.string() });

export const healthSchema = z
  .object({
    status: z.enum(['ok', 'degraded']),
    version: z.string(),
    engine: z.enum(['running', 'stopped', 'paused']),
    last_scan_at: z.number().int().nullable(),
    next_scan_at: z.number().int().nullable(),
    now: z.number().int(),
    problems: z.array(z.string()),
  })
  .openapi('Health');

export const queueSchema = z
  .object({
    cap: z.number().int(),
    /** Nothing of the schedule starts; what is asked for does. */
    paused: z.boolean(),
    /** When the pause ends by itself; null = when somebody resumes. */
    paused_until: z.number().int().nullable(),
    running: z.array(run),
    waiting: z.array(run.extend({ estimated_start_at: z.number().int().nullable() })),
    deferred: z.array(run),
  })
  .openapi('Queue');

export const queueRoutes = {
  getQueue: createRoute({
    method: 'get',
    path: '/api/queue',
    tags: ['queue'],
    summary: 'What runs, what waits with its position, what is held back',
    responses: { 200: answer(queueSchema), ...errorAnswers },
  }),
  pauseQueue: createRoute({
    method: 'post',
    path: '/api/queue/pause',
    tags: ['queue'],
    summary: 'Pause everything that is scheduled, for `minutes` or until it is resumed; run now still works',
    request: {
      body: body(z.object({ minutes: z.number().int().min(1).max(525_600).optional() }).strict(), false),
    },
    responses: { 200: answer(queueSchema), ...errorAnswers },
  }),
  resumeQueue: createRoute({
    method: 'post',
    path: '/api/queue/resume',
    tags: ['queue'],
    summary: 'End the pause; what fell due meanwhile follows the missed policy of each automation',
    responses: { 200: answer(queueSchema), ...errorAnswers },
  }),
  reorderQueue: createRoute({
    method: 'post',
    path: '/api/queue/reorder',
    tags: ['queue'],
    summary: 'Move a waiting run before another one of its priority, or with null to the end',
    request: {
      body: body(
        z
          .object({
            run_id: z.string().min(1).max(200),
            before_run_id: z.string().min(1).max(200).nullable(),
          })
          .strict(),
      ),
    },
    responses: { 200: answer(queueSchema), ...errorAnswers },
  }),
} as const;

export const systemRoutes = {
  health: createRoute({
    method: 'get',
    path: '/healthz',
    tags: ['system'],
    summary: 'Open without a token: is the engine alive',
    responses: { 200: answer(healthSchema), 503: answer(healthSchema, 'The engine does not scan') },
  }),
  login: createRoute({
    method: 'post',
    path: '/api/login',
    tags: ['system'],
    summary: 'Exchange a one-time code for a token of twelve hours',
    request: { body: body(z.object({ code: z.string().min(1).max(200) }).strict()) },
    responses: {
      200: answer(z.object({ token: z.string(), expires_at: z.number().int() })),
      400: errorAnswers[400],
      401: errorAnswers[401],
    },
  }),
  createLoginCode: createRoute({
    method: 'post',
    path: '/api/login-codes',
    tags: ['system'],
    summary: 'A one-time code and the address that carries it (admin)',
    responses: {
      201: answer(z.object({ code: z.string(), url: z.string(), expires_at: z.number().int() })),
      ...errorAnswers,
    },
  }),
  createToken: createRoute({
    method: 'post',
    path: '/api/tokens',
    tags: ['system'],
    summary: 'A further token with a narrower scope (admin); it is shown once',
    request: {
      body: body(
        z.object({ scope: z.enum(['run', 'read', 'admin']), label: z.string().min(1).max(100) }).strict(),
      ),
    },
    responses: {
      201: answer(z.object({ id: z.string(), token: z.string(), scope: z.string(), label: z.string() })),
      ...errorAnswers,
    },
  }),
  previewSchedule: createRoute({
    method: 'post',
    path: '/api/schedules/preview',
    tags: ['schedules'],
    summary: 'The next instants of a schedule, in words and with daylight-saving notes; nothing is saved',
    request: {
      body: body(
        z
          .object({
            schedule: scheduleSchema,
            from: z.number().int().optional(),
            count: z.number().int().min(1).max(50).default(10),
          })
          .strict(),
      ),
    },
    responses: {
      200: answer(
        z.object({
          occurrences: z.array(
            z.object({
              at: z.number().int(),
              local: z.string(),
              offset: z.string(),
              note: words.extend({ code: z.string() }).optional(),
            }),
          ),
          words,
          warnings: z.array(words.extend({ code: z.string() })),
        }),
      ),
      ...errorAnswers,
    },
  }),
  info: createRoute({
    method: 'get',
    path: '/api/info',
    tags: ['system'],
    summary: 'Version, time zone, limits and agents of this workbench',
    responses: {
      200: answer(
        z.object({
          version: z.string(),
          timezone: z.string(),
          data_folder: z.string(),
          port: z.number().int().nullable(),
          max_concurrent: z.number().int(),
          scheduling_enabled: z.boolean(),
          agents: z.array(
            z.object({
              name: z.string(),
              command: z.array(z.string()),
              /** Used where a task names no agent. */
              default: z.boolean(),
              /** The known agent it is; null = any program that takes and writes text. */
              profile: z.string().nullable(),
              /** Found on this computer, not configured. */
              detected: z.boolean(),
              /** Where its program is and what version it says it is; null when not known. */
              path: z.string().nullable(),
              version: z.string().nullable(),
            }),
          ),
          counts: z.object({
            automations: z.number().int(),
            attention: z.number().int(),
            needs_review: z.number().int(),
          }),
        }),
      ),
      ...errorAnswers,
    },
  }),
} as const;
