import { automationKindSchema, commandSchema, textSchema } from '../model/automation.ts';
import { permissionModeSchema, reviewPolicySchema } from '../model/policies.ts';
import { answer, body, createRoute, errorAnswers, z } from './route.ts';

const folder = textSchema.min(1).max(4096);
const names = z.array(z.string().min(1).max(200)).max(50);

/** Body of POST /api/run (seed 001, spec/interfaces.md). */
export const submitSchema = z
  .object({
    prompt: textSchema.max(5_000_000).optional(),
    name: textSchema.min(1).max(200).optional(),
    skills: names.optional(),
    skills_json: z.union([names, textSchema.max(65_536)]).optional(),
    cwd: folder.optional(),
    cwds: z.array(folder).max(50).optional(),
    kind: automationKindSchema.optional(),
    agent: textSchema.min(1).max(200).optional(),
    model: textSchema.min(1).max(200).optional(),
    command: commandSchema.optional(),
    env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), textSchema.max(32_768)).optional(),
    permission_mode: permissionModeSchema.optional(),
    timeout_seconds: z.number().min(1).max(604_800).optional(),
    review: z.union([z.boolean(), reviewPolicySchema]).optional(),
    delay_seconds: z.number().min(0).max(31_536_000).default(5),
    priority: z.number().int().min(-100).max(100).optional(),
  })
  .strict();
export type Submit = z.infer<typeof submitSchema>;

export const runStatusAnswer = z
  .object({
    id: z.string(),
    status: z.string(),
    label: z.object({ zh: z.string(), en: z.string() }),
    next_run_at: z.number().int().nullable(),
    queuedPosition: z.number().int().nullable(),
    runId: z.string().nullable(),
    sessionId: z.string().nullable(),
    resultState: z.string().nullable(),
    resultEvidence: z.string().nullable(),
    result_success: z.number().int().nullable(),
    summary: z.string().nullable(),
    error: z.string().nullable(),
    reason: z.string().nullable(),
    startedAt: z.number().int().nullable(),
    finishedAt: z.number().int().nullable(),
    usage: z
      .object({
        input_tokens: z.number().int().nullable(),
        output_tokens: z.number().int().nullable(),
        cost_micros: z.number().int().nullable(),
        currency: z.string().nullable(),
      })
      .nullable(),
  })
  .openapi('RunStatus');
export type RunStatusAnswer = z.infer<typeof runStatusAnswer>;

export const compatRoutes = {
  submitRun: createRoute({
    method: 'post',
    path: '/api/run',
    tags: ['workbench'],
    summary: 'Submit a task that runs once, in `delay_seconds` (default 5)',
    request: { body: body(submitSchema) },
    responses: {
      202: answer(z.object({ id: z.string(), next_run_at: z.number().int(), status: z.string() })),
      ...errorAnswers,
    },
  }),
  submittedRunStatus: createRoute({
    method: 'get',
    path: '/api/run/status',
    tags: ['workbench'],
    summary: 'Where a submitted task stands; `id` is the automation’s or the run’s id',
    request: { query: z.object({ id: z.string().min(1).max(200) }) },
    responses: { 200: answer(runStatusAnswer), ...errorAnswers },
  }),
} as const;
