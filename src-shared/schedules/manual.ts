import { type ManualSchedule, manualSchema, type ScheduleModule } from './kind.ts';

/** No schedule at all: it runs when a person or a program starts it. */
export const manualModule: ScheduleModule<ManualSchedule> = {
  kind: 'manual',
  schema: manualSchema,
  normalize: () => ({ kind: 'manual' }),
  next: () => null,
  previous: () => null,
  describe: (_schedule, locale) => (locale === 'en' ? 'Only when started by hand' : '仅手动运行'),
  warnings: () => [],
  runsTwice: () => false,
};
