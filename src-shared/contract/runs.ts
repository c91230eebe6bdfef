import {
  outputChunkSchema,
  runChangeSchema,
  runSchema,
  runStatusSchema,
  triggerSchema,
} from '../model/run.ts';
import { answer, body, createRoute, errorAnswers, idParams, page, pageQuery, z } from './route.ts';

const run = runSchema.openapi('Run');
const tags = ['runs'];

export const runRoutes = {
  listRuns: createRoute({
    method: 'get',
    path: '/api/runs',
    tags,
    summary: 'Runs of all automations, newest first',
    request: {
      query: pageQuery.extend({
        status: runStatusSchema.optional(),
        trigger: triggerSchema.optional(),
        automation_id: z.string().max(200).optional(),
      }),
    },
    responses: { 200: answer(page(run)), ...errorAnswers },
  }),
  getRun: createRoute({
    method: 'get',
    path: '/api/runs/{id}',
    tags,
    summary: 'One run with the prompt as it was sent',
    request: { params: idParams },
    responses: { 200: answer(run.extend({ prompt: z.string().nullable() })), ...errorAnswers },
  }),
  getRunOutput: createRoute({
    method: 'get',
    path: '/api/runs/{id}/output',
    tags,
    summary: 'Output chunks from `from` on; `next` is the next sequence number to ask for',
    request: {
      params: idParams,
      query: z.object({
        from: z.coerce.number().int().min(0).default(0),
        limit: z.coerce.number().int().min(1).max(2000).default(1000),
      }),
    },
    responses: {
      200: answer(
        z.object({
          items: z.array(outputChunkSchema),
          next: z.number().int(),
          ended: z.boolean(),
          output_bytes: z.number().int(),
          output_dropped_bytes: z.number().int(),
        }),
      ),
      ...errorAnswers,
    },
  }),
  getRunChanges: createRoute({
    method: 'get',
    path: '/api/runs/{id}/changes',
    tags,
    summary: 'Files that the run created, changed or deleted, by path: at most 500 of `total`',
    request: { params: idParams },
    responses: {
      200: answer(z.object({ items: z.array(runChangeSchema), total: z.number().int() })),
      ...errorAnswers,
    },
  }),
  cancelRun: createRoute({
    method: 'post',
    path: '/api/runs/{id}/cancel',
    tags,
    summary: 'Cancel a waiting run at once; stop a running one and its whole process tree',
    request: { params: idParams },
    responses: { 202: answer(run), ...errorAnswers },
  }),
  acceptRun: createRoute({
    method: 'post',
    path: '/api/runs/{id}/accept',
    tags,
    summary: 'Accept a run that waits for review',
    request: {
      params: idParams,
      body: body(z.object({ note: z.string().max(10_000).optional() }).strict(), false),
    },
    responses: { 200: answer(run), ...errorAnswers },
  }),
  rejectRun: createRoute({
    method: 'post',
    path: '/api/runs/{id}/reject',
    tags,
    summary: 'Send a run back; a note is required, `rerun` starts it again with the note',
    request: {
      params: idParams,
      body: body(
        z
          .object({ note: z.string().min(1, 'say why').max(10_000), rerun: z.boolean().default(false) })
          .strict(),
      ),
    },
    responses: { 200: answer(run), ...errorAnswers },
  }),
  readRun: createRoute({
    method: 'post',
    path: '/api/runs/{id}/read',
    tags,
    summary: 'Mark a run as read',
    request: { params: idParams },
    responses: { 200: answer(run), ...errorAnswers },
  }),
} as const;
