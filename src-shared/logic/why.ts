import type { Why } from '../contract/automations.ts';
import type { Automation } from '../model/automation.ts';

export interface WhyInput {
  automation: Automation;
  now: number;
  unchecked: boolean;
  scheduling_enabled: boolean;
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
  enable: { action: 'enable_scheduling', en: 'Set enabled = true in [scheduled_tasks]', zh: '在 [scheduled_tasks] 中设置 enabled = true' },
  agent: { action: 'configure_agent', en: 'Add an agent to config.toml: [agents.<name>] command = [...]', zh: '在 config.toml 中添加智能体：[agents.<名称>] command = [...]' },
} as const;

function clause(name: string, holds: boolean, en: string, zh: string, repair: Clause['repair'] = null): Clause {
  return { clause: name, holds, en, zh, repair: holds ? null : repair };
}

function attentionClause(automation: Automation): Clause {
  const { attention_code: code, attention_detail: detail } = automation;
  if (code === null) return clause('attention', true, 'Nothing is wrong with the row', '任务数据没有问题');
  const more = detail === null || detail === '' ? '' : ` (${detail})`;
  const repair = code.startsWith('schedule') || code === 'no_schedule' ? repairs.schedule : repairs.run;
  return clause('attention', false, `Needs attention: ${code}${more}`, `需要处理：${code}${more}`, repair);
}

function nextRunClause(automation: Automation, now: number): Clause {
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
  return clause('next_run_at', true, due ? `Due since ${iso}` : `Next run at ${iso}`, due ? `已到期：${iso}` : `下次运行：${iso}`);
}

/** The due test, clause by clause, with the repair of each that does not hold. Words in both languages. */
export function why(input: WhyInput): Why {
  const { automation, now } = input;
  const active = input.active_run;
  const clauses: Clause[] = [
    clause('engine', input.engine_running, input.engine_running ? 'An engine is running' : 'No engine runs for this data folder', input.engine_running ? '调度引擎正在运行' : '没有引擎在运行', repairs.start),
    clause('scheduling', input.scheduling_enabled, input.scheduling_enabled ? 'Scheduling is on' : 'Scheduling is switched off', input.scheduling_enabled ? '调度已开启' : '调度已关闭', repairs.enable),
    clause('not_deleted', automation.deleted_at === null, automation.deleted_at === null ? 'It is not deleted' : 'It is deleted', automation.deleted_at === null ? '未删除' : '已删除', repairs.restore),
    clause('status', automation.status === 'ACTIVE', `Its status is ${automation.status}`, `状态为 ${automation.status}`, automation.status === 'PAUSED' ? repairs.resume : repairs.run),
    clause('checked', !input.unchecked, input.unchecked ? 'Another program wrote it; it is checked within a second' : 'The row has been checked', input.unchecked ? '由其他程序写入，将在一秒内检查' : '数据已检查'),
    attentionClause(automation),
    nextRunClause(automation, now),
    clause('overlap', active === null || automation.overlap_policy === 'allow', active === null ? 'No run of it is active' : `Its run ${active.id} is ${active.status}${input.queue_position === null ? '' : ` at position ${input.queue_position}`}`, active === null ? '没有正在进行的运行' : `运行 ${active.id} 处于 ${active.status}`),
    clause('capacity', input.running < input.cap, `${input.running} of ${input.cap} slots are in use`, `并发 ${input.running}/${input.cap}`),
  ];
  if (automation.kind === 'agent') {
    clauses.push(clause('agent', input.agent_found, input.agent_found ? 'Its agent is configured' : 'No agent is configured for it', input.agent_found ? '智能体已配置' : '没有可用的智能体', repairs.agent));
  }
  const blocking = clauses.filter((item) => !item.holds && item.clause !== 'overlap' && item.clause !== 'capacity' && item.clause !== 'checked');
  const first = blocking[0];
  const willRun = first === undefined;
  const next = automation.next_run_at;
  const whenEn = next === null ? '' : ` at ${new Date(Math.max(next, now)).toISOString()}`;
  return {
    id: automation.id,
    will_run: willRun,
    next_run_at: next,
    summary: willRun
      ? { en: `It will run${whenEn}`, zh: `将会运行${next === null ? '' : `：${new Date(Math.max(next, now)).toISOString()}`}` }
      : { en: `It will not run: ${first.en}`, zh: `不会运行：${first.zh}` },
    clauses,
  };
}
