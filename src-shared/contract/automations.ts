import {
  automationCreateSchema,
  automationKindSchema,
  automationPatchSchema,
  automationSchema,
  automationStatusSchema,
  sourceSchema,
} from '../model/automation.ts';
import { runSchema, slotSchema } from '../model/run.ts';
import { answer, body, createRoute, errorAnswers, idParams, page, pageQuery, z } from './route.ts';

const automation = automationSchema.openapi('Automation');
const run = runSchema.openapi('Run');
const slot = slotSchema.openapi('Slot');
const tags = ['automations'];

/** One clause of the due test: what was asked, whether it holds, and what repairs it. */
export const whySchema = z
  .object({
    id: z.string(),
    will_run: z.boolean(),
    next_run_at: z.number().int().nullable(),
    summary: z.object({ en: z.string(), zh: z.string() }),
    clauses: z.array(
      z.object({
        clause: z.string(),
        holds: z.boolean(),
        en: z.string(),
        zh: z.string(),
        repair: z.object({ action: z.string(), en: z.string(), zh: z.string() }).nullable(),
      }),
    ),
  })
  .openapi('Why');
export type Why = z.infer<typeof whySchema>;

export const listAutomationsQuery = pageQuery.extend({
  q: z.string().max(200).optional(),
  status: automationStatusSchema.or(z.literal('DELETED')).optional(),
  kind: automationKindSchema.optional(),
  schedule: z.enum(['manual', 'at', 'every', 'cron', 'rrule']).optional(),
  source: sourceSchema.optional(),
  owner_bot_id: z.string().max(200).optional(),
  owner_user_id: z.string().max(200).optional(),
  attention: z.enum(['true', 'false']).optional(),
});

export const runAnswer = z.object({ run, existing: z.boolean() });

export const automationRoutes = {
  listAutomations: createRoute({
    method: 'get',
    path: '/api/automations',
    tags,
    summary: 'Automations, newest first',
    request: { query: listAutomationsQuery },
    responses: { 200: answer(page(automation)), ...errorAnswers },
  }),
  createAutomation: createRoute({
    method: 'post',
    path: '/api/automations',
    tags,
    summary: 'Create an automation; it is ACTIVE and planned at once',
    request: { body: body(automationCreateSchema) },
    responses: { 201: answer(automation), ...errorAnswers },
  }),
  getAutomation: createRoute({
    method: 'get',
    path: '/api/automations/{id}',
    tags,
    summary: 'One automation, deleted ones included',
    request: { params: idParams },
    responses: { 200: answer(automation), ...errorAnswers },
  }),
  updateAutomation: createRoute({
    method: 'patch',
    path: '/api/automations/{id}',
    tags,
    summary: 'Change fields; `rev` guards against overwriting somebody else’s edit',
    request: { params: idParams, body: body(automationPatchSchema) },
    responses: { 200: answer(automation), ...errorAnswers },
  }),
  deleteAutomation: createRoute({
    method: 'delete',
    path: '/api/automations/{id}',
    tags,
    summary: 'Delete softly: waiting runs are cancelled, running ones end, history stays',
    request: { params: idParams },
    responses: { 200: answer(automation), ...errorAnswers },
  }),
  restoreAutomation: createRoute({
    method: 'post',
    path: '/api/automations/{id}/restore',
    tags,
    summary: 'Bring a deleted automation back, paused',
    request: { params: idParams },
    responses: { 200: answer(automation), ...errorAnswers },
  }),
  pauseAutomation: createRoute({
    method: 'post',
    path: '/api/automations/{id}/pause',
    tags,
    summary: 'Stop planning; waiting runs stay unless `drop_waiting`',
    request: {
      params: idParams,
      body: body(z.object({ drop_waiting: z.boolean().default(false) }).strict(), false),
    },
    responses: { 200: answer(automation), ...errorAnswers },
  }),
  resumeAutomation: createRoute({
    method: 'post',
    path: '/api/automations/{id}/resume',
    tags,
    summary: 'Plan again, from now on',
    request: { params: idParams },
    responses: { 200: answer(automation), ...errorAnswers },
  }),
  toggleAutomation: createRoute({
    method: 'post',
    path: '/api/automations/{id}/toggle',
    tags,
    summary: 'Pause when active, resume when paused',
    request: { params: idParams },
    responses: { 200: answer(automation), ...errorAnswers },
  }),
  runAutomation: createRoute({
    method: 'post',
    path: '/api/automations/{id}/run',
    tags,
    summary: 'Run now; under overlap `skip` the active run is given back as existing',
    request: { params: idParams, body: body(z.object({ keep: z.boolean().default(false) }).strict(), false) },
    responses: { 202: answer(runAnswer), ...errorAnswers },
  }),
  listAutomationRuns: createRoute({
    method: 'get',
    path: '/api/automations/{id}/runs',
    tags,
    summary: 'Runs of one automation, newest first',
    request: { params: idParams, query: pageQuery },
    responses: { 200: answer(page(run)), ...errorAnswers },
  }),
  listSlots: createRoute({
    method: 'get',
    path: '/api/automations/{id}/slots',
    tags,
    summary: 'The ledger: every planned occurrence and what became of it, newest first',
    request: { params: idParams, query: pageQuery },
    responses: { 200: answer(page(slot)), ...errorAnswers },
  }),
  whyAutomation: createRoute({
    method: 'get',
    path: '/api/automations/{id}/why',
    tags,
    summary: 'Why it runs or does not run, clause by clause',
    request: { params: idParams },
    responses: { 200: answer(whySchema), ...errorAnswers },
  }),
} as const;
