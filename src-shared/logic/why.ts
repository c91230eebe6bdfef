import type { Why } from '../contract/automations.ts';
import type { Automation } from '../model/automation.ts';

export interface WhyInput {
  automation: Automation;
  now: number;
  unchecked: boolean;
  scheduling_enabled: boolean;
  /** A person has paused everything. */
  paused: boolean;
  engine_running: boolean;
  cap: number;
  running: number;
  queue_position: number | null;
  active_run: { id: string; status: string } | null;
  agent_found: boolean;
}

type Clause = Why['clauses'][number];

const repairs = {
  resume: { action: 'resume', en: 'Resume it', zh: '恢复任务' },
  restore: { action: 'restore', en: 'Restore it', zh: '还原任务' },
  run: { action: 'run', en: 'Run it now, or set a new time', zh: '立即运行，或设置新的时间' },
  schedule: { action: 'edit_schedule', en: 'Correct the schedule', zh: '修改计划' },
  start: { action: 'serve', en: 'Start NextRun (nextrun serve)', zh: '启动 NextRun（nextrun serve）' },
  enable: {
    action: 'enable_scheduling',
    en: 'Set enabled = true in [scheduled_tasks]',
    zh: '在 [scheduled_tasks] 中设置 enabled = true',
  },
  resumeAll: {
    action: 'resume_all',
    en: 'Resume everything (nextrun resume)',
    zh: '恢复全部调度（nextrun resume）',
  },
  agent: {
    action: 'configure_agent',
    en: 'Add an agent to config.toml: [agents.<name>] command = [...]',
    zh: '在 config.toml 中添加智能体：[agents.<名称>] command = [...]',
  },
} as const;

function clause(
  name: string,
  holds: boolean,
  en: string,
  zh: string,
  repair: Clause['repair'] = null,
): Clause {
  return { clause: name, holds, en, zh, repair: holds ? null : repair };
}

function attentionClause({ automation }: WhyInput): Clause {
  const { attention_code: code, attention_detail: detail } = automation;
  if (code === null) return clause('attention', true, 'Nothing is wrong with the row', '任务数据没有问题');
  const more = detail === null || detail === '' ? '' : ` (${detail})`;
  const repair = code.startsWith('schedule') || code === 'no_schedule' ? repairs.schedule : repairs.run;
  return clause('attention', false, `Needs attention: ${code}${more}`, `需要处理：${code}${more}`, repair);
}

function nextRunClause({ automation, now }: WhyInput): Clause {
  const next = automation.next_run_at;
  if (next === null) {
    const manual = automation.schedule.kind === 'manual';
    return clause(
      'next_run_at',
      false,
      manual ? 'It has no schedule: it runs only when asked' : 'It has no next run',
      manual ? '没有计划，只在手动时运行' : '没有下次运行时间',
      manual ? repairs.run : repairs.schedule,
    );
  }
  const iso = new Date(next).toISOString();
  const due = next <= now;
  return clause(
    'next_run_at',
    true,
    due ? `Due since ${iso}` : `Next run at ${iso}`,
    due ? `已到期：${iso}` : `下次运行：${iso}`,
  );
}

function engineClause({ engine_running: running }: WhyInput): Clause {
  const en = running ? 'An engine is running' : 'No engine runs for this data folder';
  return clause('engine', running, en, running ? '调度引擎正在运行' : '没有引擎在运行', repairs.start);
}

function schedulingClause({ scheduling_enabled: on }: WhyInput): Clause {
  const en = on ? 'Scheduling is on' : 'Scheduling is switched off';
  return clause('scheduling', on, en, on ? '调度已开启' : '调度已关闭', repairs.enable);
}

function notHeldClause({ paused }: WhyInput): Clause {
  const en = paused ? 'Everything is paused' : 'Nothing is paused as a whole';
  return clause('not_held', !paused, en, paused ? '已暂停全部调度' : '没有暂停全部调度', repairs.resumeAll);
}

function notDeletedClause({ automation }: WhyInput): Clause {
  const kept = automation.deleted_at === null;
  const en = kept ? 'It is not deleted' : 'It is deleted';
  return clause('not_deleted', kept, en, kept ? '未删除' : '已删除', repairs.restore);
}

function statusClause({ automation: { status } }: WhyInput): Clause {
  const repair = status === 'PAUSED' ? repairs.resume : repairs.run;
  return clause('status', status === 'ACTIVE', `Its status is ${status}`, `状态为 ${status}`, repair);
}

function checkedClause({ unchecked }: WhyInput): Clause {
  return clause(
    'checked',
    !unchecked,
    unchecked ? 'Another program wrote it; it is checked within a second' : 'The row has been checked',
    unchecked ? '由其他程序写入，将在一秒内检查' : '数据已检查',
  );
}

function overlapClause({ automation, active_run: active, queue_position: position }: WhyInput): Clause {
  if (active === null) return clause('overlap', true, 'No run of it is active', '没有正在进行的运行');
  const at = position === null ? '' : ` at position ${position}`;
  return clause(
    'overlap',
    automation.overlap_policy === 'allow',
    `Its run ${active.id} is ${active.status}${at}`,
    `运行 ${active.id} 处于 ${active.status}`,
  );
}

function capacityClause({ running, cap }: WhyInput): Clause {
  return clause('capacity', running < cap, `${running} of ${cap} slots are in use`, `并发 ${running}/${cap}`);
}

function agentClause({ agent_found: found }: WhyInput): Clause {
  const en = found ? 'Its agent is configured' : 'No agent is configured for it';
  return clause('agent', found, en, found ? '智能体已配置' : '没有可用的智能体', repairs.agent);
}

/** The due test in its order; an agent automation is asked for its agent as well. */
const dueTest: readonly ((input: WhyInput) => Clause)[] = [
  engineClause,
  schedulingClause,
  notHeldClause,
  notDeletedClause,
  statusClause,
  checkedClause,
  attentionClause,
  nextRunClause,
  overlapClause,
  capacityClause,
];

/** What passes by itself: it delays a run, it does not prevent one. */
const passing: readonly string[] = ['overlap', 'capacity', 'checked'];

function summary(blocking: Clause | undefined, next: number | null, now: number): Why['summary'] {
  if (blocking !== undefined) {
    return { en: `It will not run: ${blocking.en}`, zh: `不会运行：${blocking.zh}` };
  }
  if (next === null) return { en: 'It will run', zh: '将会运行' };
  const at = new Date(Math.max(next, now)).toISOString();
  return { en: `It will run at ${at}`, zh: `将会运行：${at}` };
}

/** The due test, clause by clause, with the repair of each that does not hold. Words in both languages. */
export function why(input: WhyInput): Why {
  const { automation, now } = input;
  const test = automation.kind === 'agent' ? [...dueTest, agentClause] : dueTest;
  const clauses = test.map((clauseOf) => clauseOf(input));
  const blocking = clauses.find((item) => !item.holds && !passing.includes(item.clause));
  return {
    id: automation.id,
    will_run: blocking === undefined,
    next_run_at: automation.next_run_at,
    summary: summary(blocking, automation.next_run_at, now),
    clauses,
  };
}
