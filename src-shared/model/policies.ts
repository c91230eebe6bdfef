import { z } from 'zod';

/** What becomes of a slot that was missed by more than two scan intervals. */
export const missedPolicySchema = z.enum(['latest', 'skip', 'all', 'ask']);
/** What becomes of a slot that falls due while a run of the same automation is active. */
export const overlapPolicySchema = z.enum(['skip', 'queue', 'cancel_previous', 'allow']);
/** What becomes of a slot whose bound session a person has taken over. */
export const conflictPolicySchema = z.enum(['defer', 'skip', 'run_anyway']);
/** When a successful run waits for a person. */
export const reviewPolicySchema = z.enum(['auto', 'always', 'on_changes']);
/** What follows a run whose host or launcher died under it. */
export const onInterruptSchema = z.enum(['requeue', 'review', 'fail']);
export const targetModeSchema = z.enum(['isolated', 'bound']);
export const permissionModeSchema = z.enum(['plan', 'default', 'acceptEdits', 'fullAccess']);
export type PermissionMode = z.infer<typeof permissionModeSchema>;

export type MissedPolicy = z.infer<typeof missedPolicySchema>;
export type OverlapPolicy = z.infer<typeof overlapPolicySchema>;
export type ReviewPolicy = z.infer<typeof reviewPolicySchema>;
export type OnInterrupt = z.infer<typeof onInterruptSchema>;
