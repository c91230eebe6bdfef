import { answer, createRoute, errorAnswers, z } from './route.ts';

const words = z.object({ en: z.string(), zh: z.string() });

/** One thing that was looked at. `subject` names which one where a code comes more than once. */
export const doctorCheckSchema = z
  .object({
    code: z.string(),
    subject: z.string().nullable(),
    status: z.enum(['ok', 'warn', 'fail']),
    en: z.string(),
    zh: z.string(),
    repair: words.extend({ action: z.string() }).nullable(),
  })
  .openapi('DoctorCheck');
export type DoctorCheck = z.infer<typeof doctorCheckSchema>;

/** All checks in a fixed order, and the worst of them. */
export const doctorSchema = z
  .object({
    status: z.enum(['ok', 'warn', 'fail']),
    version: z.string(),
    now: z.number().int(),
    checks: z.array(doctorCheckSchema),
  })
  .openapi('Doctor');
export type Doctor = z.infer<typeof doctorSchema>;

export const doctorRoutes = {
  doctor: createRoute({
    method: 'get',
    path: '/api/doctor',
    tags: ['system'],
    summary: 'What is wrong with this installation and how to repair it; changes nothing',
    responses: { 200: answer(doctorSchema), ...errorAnswers },
  }),
} as const;
