import type { DoctorCheck } from '../contract/doctor.ts';
import { namesText, type Repair, unwell, well } from './doctor-check.ts';
import type { DoctorInput, RowFacts } from './doctor-input.ts';

/** The change feed keeps 20,000 rows and prunes in steps of 5,000. */
const largeChangeLog = 50_000;

const configureAgent: Repair = {
  action: 'configure_agent',
  en: 'Write [agents.<name>] command = ["program"] in config.toml; the program must be on the PATH of NextRun',
  zh: '在 config.toml 中写 [agents.<名称>] command = ["程序"]；程序须在 NextRun 的 PATH 中',
};
const look: Repair = {
  action: 'why',
  en: 'See what is wrong with each: nextrun why <name>',
  zh: '逐个查看原因：nextrun why <名称>',
};
const restart: Repair = {
  action: 'restart',
  en: 'Stop NextRun and start it again: it recovers them',
  zh: '停止 NextRun 后重新启动：它会恢复这些运行',
};
const serve: Repair = { action: 'serve', en: 'Start it: nextrun serve', zh: '启动：nextrun serve' };

function leaseCheck({ engine, now }: DoctorInput, { lease }: RowFacts): DoctorCheck {
  const running = engine?.running === true;
  const fresh = lease !== null && lease.expires_at >= now;
  if (!running) {
    if (!fresh || lease === null) return well('lease', { en: 'Nobody holds the lease', zh: '没有租约' });
    const text = {
      en: `The lease still names process ${lease.pid}; it expires by itself`,
      zh: `租约仍指向进程 ${lease.pid}；会自行过期`,
    };
    return unwell('lease', 'warn', text, null);
  }
  if (fresh && lease?.holder === engine?.holder) {
    return well('lease', { en: 'The lease is renewed', zh: '租约按时续期' });
  }
  const text =
    lease === null || !fresh
      ? {
          en: 'The lease is not renewed: other programs see no engine',
          zh: '租约没有续期：其他程序看不到引擎',
        }
      : { en: `The lease names another process (${lease.pid})`, zh: `租约指向另一进程（${lease.pid}）` };
  return unwell('lease', fresh ? 'fail' : 'warn', text, {
    action: 'restart',
    en: 'When it stays so for a minute: stop NextRun and start it again',
    zh: '若持续一分钟：停止 NextRun 后重新启动',
  });
}

function agentChecks({ machine }: DoctorInput, { agents_used: used }: RowFacts): DoctorCheck[] {
  const checks = machine.agents.map(({ name, program, found }) => {
    if (found)
      return well('agent', { en: `${name}: ${program} was found`, zh: `${name}：已找到 ${program}` }, name);
    const needed = used.some(({ agent }) => agent === name);
    const text = { en: `${name}: ${program} was not found`, zh: `${name}：找不到 ${program}` };
    return unwell('agent', needed ? 'fail' : 'warn', text, configureAgent, name);
  });
  for (const { agent, found, count } of used) {
    if (found) continue;
    const which = agent === null ? 'no agent is configured' : `the agent “${agent}” is not configured`;
    const whichZh = agent === null ? '没有配置智能体' : `没有配置智能体“${agent}”`;
    const text = { en: `${count} tasks cannot run: ${which}`, zh: `${count} 个任务无法运行：${whichZh}` };
    checks.push(unwell('agent_missing', 'fail', text, configureAgent, agent));
  }
  if (checks.length > 0) return checks;
  return [
    well('agent', {
      en: 'No agent is configured, and no task needs one',
      zh: '没有配置智能体，也没有任务需要',
    }),
  ];
}

function overdueCheck({ engine }: DoctorInput, { overdue }: RowFacts): DoctorCheck {
  if (overdue.count === 0) return well('overdue', { en: 'No task is overdue', zh: '没有逾期的任务' });
  const text = {
    en: `${overdue.count} tasks are overdue: ${namesText(overdue)}`,
    zh: `${overdue.count} 个任务逾期：${namesText(overdue)}`,
  };
  // Without an engine that is what must be: the missed policy decides at the next start.
  return engine === null ? unwell('overdue', 'warn', text, serve) : unwell('overdue', 'fail', text, look);
}

function ledgerCheck(_input: DoctorInput, { unaccounted }: RowFacts): DoctorCheck {
  if (unaccounted.count === 0) {
    return well('ledger', { en: 'Every planned time is accounted for', zh: '每个计划时间都有记录' });
  }
  const text = {
    en: `${unaccounted.count} tasks passed a planned time without a record: ${namesText(unaccounted)}`,
    zh: `${unaccounted.count} 个任务越过计划时间而没有记录：${namesText(unaccounted)}`,
  };
  return unwell('ledger', 'warn', text, {
    action: 'report',
    en: 'Look which program moves next_run_at; when none does, report it',
    zh: '查看是哪个程序改动了 next_run_at；如果没有，请反馈',
  });
}

function stuckCheck({ engine }: DoctorInput, { stuck_runs: stuck }: RowFacts): DoctorCheck {
  if (stuck.count === 0) return well('stuck_runs', { en: 'No run is stuck', zh: '没有卡住的运行' });
  const text = {
    en: `${stuck.count} runs are in progress, but their lease has expired: ${namesText(stuck)}`,
    zh: `${stuck.count} 个运行仍在进行，但租约已过期：${namesText(stuck)}`,
  };
  return unwell('stuck_runs', 'fail', text, engine === null ? serve : restart);
}

function uncheckedCheck({ engine }: DoctorInput, { unchecked }: RowFacts): DoctorCheck {
  if (unchecked === 0) {
    return well('unchecked', { en: 'Rows of other programs are checked', zh: '其他程序写入的数据均已检查' });
  }
  const text = {
    en: `${unchecked} rows of other programs wait to be checked for more than a minute`,
    zh: `其他程序写入的 ${unchecked} 行超过一分钟未检查`,
  };
  return engine === null
    ? unwell('unchecked', 'warn', text, serve)
    : unwell('unchecked', 'fail', text, {
        action: 'read_log',
        en: 'The log file tells why the scan fails: logs/nextrun.log in the data folder',
        zh: '日志会说明扫描失败的原因：数据文件夹中的 logs/nextrun.log',
      });
}

function attentionChecks(_input: DoctorInput, { attention }: RowFacts): DoctorCheck[] {
  if (attention.length === 0) {
    return [well('attention', { en: 'No task needs attention', zh: '没有需要处理的任务' })];
  }
  return attention.map(({ code, count }) => {
    const text = { en: `${count} tasks need attention: ${code}`, zh: `${count} 个任务需要处理：${code}` };
    return unwell('attention', 'warn', text, look, code);
  });
}

function changeLogCheck(_input: DoctorInput, { change_log: rows }: RowFacts): DoctorCheck {
  const text = { en: `The change log has ${rows} rows`, zh: `变更日志有 ${rows} 行` };
  if (rows <= largeChangeLog) return well('change_log', text);
  return unwell('change_log', 'warn', text, {
    action: 'restart',
    en: 'It is pruned while NextRun runs and something changes; when it is running: restart it',
    zh: 'NextRun 运行并有变更时会清理；若正在运行，请重新启动',
  });
}

function failingCheck(_input: DoctorInput, { failing }: RowFacts): DoctorCheck {
  if (failing.count === 0) return well('failing', { en: 'No task is failing', zh: '没有失败的任务' });
  const text = {
    en: `${failing.count} tasks failed the last time: ${namesText(failing)}`,
    zh: `${failing.count} 个任务上次失败：${namesText(failing)}`,
  };
  return unwell('failing', 'warn', text, {
    action: 'show_runs',
    en: 'See how they ended: nextrun logs --task-id <name>',
    zh: '查看结果：nextrun logs --task-id <名称>',
  });
}

/** Lease, agents, automations, runs and logs. */
export function rowChecks(input: DoctorInput, rows: RowFacts): DoctorCheck[] {
  return [
    leaseCheck(input, rows),
    ...agentChecks(input, rows),
    overdueCheck(input, rows),
    ledgerCheck(input, rows),
    stuckCheck(input, rows),
    uncheckedCheck(input, rows),
    ...attentionChecks(input, rows),
    changeLogCheck(input, rows),
    failingCheck(input, rows),
  ];
}
