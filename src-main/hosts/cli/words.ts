import { pageEn } from '../../../src-shared/words/page-en.ts';
import { pageZhCN } from '../../../src-shared/words/page-zh-CN.ts';

/** Languages of the command line. */
export type Language = 'en' | 'zh';

const en = {
  errorPrefix: 'error: ',
  hint: 'hint: ',
  field: 'field: ',
  offline: 'NextRun is not running: nothing will run until “nextrun serve” or the app is started.',
  noHost: 'NextRun is not running.',
  noHostHint: 'Start it with “nextrun serve”, or open the app.',
  hostSilent: (url: string) => `NextRun at ${url} does not answer.`,
  hostSilentHint: 'Its process is alive. Look at its log, or stop it and start it again.',
  hostLost: 'The connection to NextRun was lost.',
  tokenUnsafe: (file: string) => `The file ${file} can be read by others, or is not yours; it is not used.`,
  tokenUnsafeHint: (file: string) => `Look who wrote it, then: chmod 600 ${file}`,
  noToken: 'There is no token yet.',
  noTokenHint: 'It is made when “nextrun serve” or the app starts for the first time.',
  interrupted: (id: string) => `Stopped watching. The run goes on; stop it with: nextrun cancel ${id}`,
  interruptedPlain: 'Stopped.',
  unexpected: (message: string) => `Something went wrong inside NextRun: ${message}`,
  automationMissing: (given: string) => `There is no task “${given}”.`,
  automationMissingHint: 'See “nextrun list”. A task is given by its id, the start of it, or its exact name.',
  runMissing: (given: string) => `There is no run “${given}”.`,
  runMissingHint:
    'See “nextrun runs”. A run is given by its id or the start of it; a task stands for its last run.',
  neverRan: (name: string) => `“${name}” has not run yet.`,
  ambiguous: (given: string, count: number) => `“${given}” fits ${count} of them:`,
  ambiguousHint: 'Write more of the id.',
  andMore: (count: number) => `and ${count} more`,
  created: (name: string, words: string, next: string | null) =>
    next === null ? `Created “${name}”: ${words}.` : `Created “${name}”: ${words}. Next run ${next}.`,
  createdNotPaused: (id: string) => `It was created (${id}), but could not be paused:`,
  changed: (name: string, words: string, next: string | null) =>
    next === null ? `Changed “${name}”: ${words}.` : `Changed “${name}”: ${words}. Next run ${next}.`,
  deleted: (name: string) => `Deleted “${name}”. Its history stays.`,
  paused: (name: string) => `Paused “${name}”.`,
  resumed: (name: string, next: string | null) =>
    next === null ? `Resumed “${name}”.` : `Resumed “${name}”. Next run ${next}.`,
  allPaused: (until: string | null) =>
    until === null
      ? 'Everything is paused. Resume with: nextrun resume'
      : `Everything is paused until ${until}. Resume earlier with: nextrun resume`,
  allResumed: 'Everything goes on. What was missed follows the policy of each task.',
  stillOff: 'Scheduling is switched off in config.toml: set enabled = true in [scheduled_tasks].',
  nothingToChange: 'Nothing to change was given.',
  nothingToChangeHint: 'See “nextrun edit --help”.',
  strayWords: (word: string) => `“${word}” is not expected here.`,
  strayWordsHint: 'Write the command of a task after “--”, its prompt after --message.',
  emptyCommand: 'No command follows “--”.',
  twoCommands: 'The command is given twice: with --command and after “--”.',
  twoPrompts: 'The prompt is given twice: with --message and --prompt.',
  needTask: 'Say what shall run: a task, --prompt, or a command after “--”.',
  taskAndNew: (option: string) => `${option} belongs to a new task; the task that was named keeps its own.`,
  badEnv: (text: string) => `“${text}” is not NAME=value.`,
  badNumber: (min: number, max: number) => `Write a number from ${min} to ${max}.`,
  badStatus: (known: string) => `Known: ${known}.`,
  badScope: 'A scope and a label belong to “token new”.',
  onlyNew: (word: string) => `“${word}” is not known; write “token new”.`,
  twoSchedules: 'Give the schedule once: --schedule, --scheduled-at or --every.',
  needSchedule: (type: string, option: string) => `--type ${type} needs ${option}.`,
  wrongSchedule: (type: string, option: string) => `--type ${type} does not go with ${option}.`,
  noSchedule: 'A task of --type manual has no schedule.',
  badInterval: (text: string) => `“${text}” is not a duration.`,
  badIntervalHint: 'Write for example 10m, 2h, 1h30m or 1d.',
  badSchedule: (text: string) => `“${text}” is not a schedule.`,
  badScheduleHint:
    'Write a cron expression ("0 9 * * *"), "every 10m", a time (2026-05-06T10:00), or a rule (FREQ=WEEKLY;BYDAY=MO).',
  zoneWithout: 'This schedule has no time zone.',
  queued: (position: number | null) => (position === null ? 'Queued.' : `Queued at position ${position}.`),
  startedRun: (id: string) => `Running: ${id}`,
  waitingRun: (id: string) => `Waiting: ${id}`,
  existing: (name: string) => `“${name}” is already running or waiting.`,
  submitted: (name: string) => `Submitted as task ${name}.`,
  ended: (state: string, duration: string) => `${state} after ${duration}.`,
  endedPlain: (state: string) => `${state}.`,
  review: (id: string) => `It waits for your verdict: nextrun accept ${id}, or nextrun reject ${id} --note …`,
  outputDropped: (bytes: number) => `${bytes} bytes of output were over the limit and were not kept.`,
  cancelling: (id: string) => `Stopping ${id}.`,
  cancelled: (id: string) => `Cancelled ${id}.`,
  accepted: (id: string) => `Accepted ${id}.`,
  rejected: (id: string) => `Sent back ${id}.`,
  noAutomations: 'No tasks.',
  noRuns: 'No runs.',
  moreItems: 'There are more; see --limit.',
  next: 'next',
  never: '–',
  why: { repair: (text: string) => `→ ${text}` },
  login: 'This address signs in once, within a few minutes:',
  tokenMade: 'This token is shown only now:',
  backup: {
    existing: 'A backup is already being made; waiting for it.',
    interrupted: 'Stopped waiting. The backup goes on.',
    failed: (why: string) => `The backup failed: ${why}`,
    gone: 'The backup is no longer listed.',
  },
  columns: {
    id: 'ID',
    name: 'NAME',
    status: 'STATUS',
    schedule: 'SCHEDULE',
    next: 'NEXT RUN',
    last: 'LAST',
    task: 'TASK',
    trigger: 'STARTED BY',
    started: 'STARTED',
    duration: 'DURATION',
    reason: 'REASON',
    summary: 'SUMMARY',
    at: 'TIME',
    note: 'NOTE',
  },
  status: {
    running: (version: string) => `NextRun ${version} is running`,
    degraded: (version: string) => `NextRun ${version} is running, with problems`,
    stopped: 'NextRun is not running',
    address: 'Address',
    engine: 'Engine',
    engineStates: { running: 'running', stopped: 'stopped', paused: 'paused' },
    lastScan: 'Last scan',
    nextScan: 'Next scan',
    tasks: 'Tasks',
    tasksText: (all: number, attention: number, review: number) =>
      `${all}, of which ${attention} with a problem; ${review} runs to review`,
    queue: 'Queue',
    queueText: (running: number, cap: number, waiting: number) =>
      `${running} of ${cap} running, ${waiting} waiting`,
    paused: 'Paused',
    pausedText: (until: string | null) => (until === null ? 'until it is resumed' : `until ${until}`),
    zone: 'Time zone',
    folder: 'Data folder',
    problem: 'Problem',
  },
  show: {
    id: 'Id',
    name: 'Name',
    description: 'Description',
    status: 'Status',
    schedule: 'Schedule',
    next: 'Next run',
    last: 'Last run',
    kind: 'Kind',
    agent: 'Agent',
    command: 'Command',
    folders: 'Folders',
    timeout: 'Time-out',
    policies: 'Policies',
    attention: 'Problem',
    runs: 'Runs',
    prompt: 'Prompt',
    note: 'Note',
  },
} as const;

type Widen<T> = T extends string
  ? string
  : T extends (...args: infer A) => string
    ? (...args: A) => string
    : { readonly [K in keyof T]: Widen<T[K]> };

/** The texts of the command line; every language has to fill them completely. */
export type Words = Widen<typeof en>;

const zh: Words = {
  errorPrefix: '错误：',
  hint: '提示：',
  field: '字段：',
  offline: 'NextRun 没有运行：在启动 nextrun serve 或应用之前，不会执行任何任务。',
  noHost: 'NextRun 没有运行。',
  noHostHint: '请用 nextrun serve 启动，或打开应用。',
  hostSilent: (url) => `位于 ${url} 的 NextRun 没有响应。`,
  hostSilentHint: '它的进程还在。请查看日志，或停止后重新启动。',
  hostLost: '与 NextRun 的连接已断开。',
  tokenUnsafe: (file) => `文件 ${file} 可被他人读取，或不属于你，因此没有使用。`,
  tokenUnsafeHint: (file) => `请确认是谁写的，然后执行：chmod 600 ${file}`,
  noToken: '还没有令牌。',
  noTokenHint: '第一次启动 nextrun serve 或应用时会生成。',
  interrupted: (id) => `已停止查看。运行仍在继续；要停止它：nextrun cancel ${id}`,
  interruptedPlain: '已停止。',
  unexpected: (message) => `NextRun 内部出错：${message}`,
  automationMissing: (given) => `没有任务“${given}”。`,
  automationMissingHint: '参见 nextrun list。可用任务的 ID、ID 的开头或完整名称。',
  runMissing: (given) => `没有运行“${given}”。`,
  runMissingHint: '参见 nextrun runs。可用运行的 ID 或 ID 的开头；写任务则表示它的最近一次运行。',
  neverRan: (name) => `“${name}”还没有运行过。`,
  ambiguous: (given, count) => `“${given}”对应 ${count} 项：`,
  ambiguousHint: '请多写几位 ID。',
  andMore: (count) => `还有 ${count} 项`,
  created: (name, words, next) =>
    next === null ? `已创建“${name}”：${words}。` : `已创建“${name}”：${words}。下次运行 ${next}。`,
  createdNotPaused: (id) => `任务已创建（${id}），但未能暂停：`,
  changed: (name, words, next) =>
    next === null ? `已修改“${name}”：${words}。` : `已修改“${name}”：${words}。下次运行 ${next}。`,
  deleted: (name) => `已删除“${name}”。历史记录会保留。`,
  paused: (name) => `已暂停“${name}”。`,
  resumed: (name, next) => (next === null ? `已恢复“${name}”。` : `已恢复“${name}”。下次运行 ${next}。`),
  allPaused: (until) =>
    until === null
      ? '已暂停全部调度。恢复：nextrun resume'
      : `全部调度暂停至 ${until}。提前恢复：nextrun resume`,
  allResumed: '已恢复全部调度。错过的运行按各任务的策略处理。',
  stillOff: 'config.toml 中关闭了调度：请在 [scheduled_tasks] 中设置 enabled = true。',
  nothingToChange: '没有给出要修改的内容。',
  nothingToChangeHint: '参见 nextrun edit --help。',
  strayWords: (word) => `这里不需要“${word}”。`,
  strayWordsHint: '任务的命令写在“--”之后，提示词写在 --message 之后。',
  emptyCommand: '“--”之后没有命令。',
  twoCommands: '命令给了两次：--command 和“--”之后。',
  twoPrompts: '提示词给了两次：--message 和 --prompt。',
  needTask: '请说明要运行什么：一个任务、--prompt，或“--”之后的命令。',
  taskAndNew: (option) => `${option} 只用于新任务；指定的任务使用它自己的设置。`,
  badEnv: (text) => `“${text}”不是 名称=值 的形式。`,
  badNumber: (min, max) => `请写 ${min} 到 ${max} 之间的数。`,
  badStatus: (known) => `可选值：${known}。`,
  badScope: '--scope 和 --label 只用于 token new。',
  onlyNew: (word) => `无法识别“${word}”；请写 token new。`,
  twoSchedules: '计划只能给一次：--schedule、--scheduled-at 或 --every。',
  needSchedule: (type, option) => `--type ${type} 需要 ${option}。`,
  wrongSchedule: (type, option) => `--type ${type} 不能与 ${option} 一起使用。`,
  noSchedule: '--type manual 的任务没有计划。',
  badInterval: (text) => `“${text}”不是时长。`,
  badIntervalHint: '例如：10m、2h、1h30m 或 1d。',
  badSchedule: (text) => `“${text}”不是计划。`,
  badScheduleHint:
    '请写 cron 表达式（"0 9 * * *"）、"every 10m"、时间（2026-05-06T10:00）或规则（FREQ=WEEKLY;BYDAY=MO）。',
  zoneWithout: '这种计划没有时区。',
  queued: (position) => (position === null ? '已排队。' : `已排队，第 ${position} 位。`),
  startedRun: (id) => `正在运行：${id}`,
  waitingRun: (id) => `等待中：${id}`,
  existing: (name) => `“${name}”已在运行或排队。`,
  submitted: (name) => `已提交为任务 ${name}。`,
  ended: (state, duration) => `${state}，用时 ${duration}。`,
  endedPlain: (state) => `${state}。`,
  review: (id) => `等你确认：nextrun accept ${id}，或 nextrun reject ${id} --note …`,
  outputDropped: (bytes) => `超出上限的 ${bytes} 字节输出没有保留。`,
  cancelling: (id) => `正在停止 ${id}。`,
  cancelled: (id) => `已取消 ${id}。`,
  accepted: (id) => `已通过 ${id}。`,
  rejected: (id) => `已退回 ${id}。`,
  noAutomations: '没有任务。',
  noRuns: '没有运行记录。',
  moreItems: '还有更多，参见 --limit。',
  next: '下次',
  never: '–',
  why: { repair: (text) => `→ ${text}` },
  login: '这个地址可登录一次，几分钟内有效：',
  tokenMade: '这个令牌只显示这一次：',
  backup: {
    existing: '已有备份正在进行；等待它完成。',
    interrupted: '已停止等待。备份仍在继续。',
    failed: (why) => `备份失败：${why}`,
    gone: '列表中已没有这个备份。',
  },
  columns: {
    id: 'ID',
    name: '名称',
    status: '状态',
    schedule: '计划',
    next: '下次运行',
    last: '上次结果',
    task: '任务',
    trigger: '触发方式',
    started: '开始时间',
    duration: '用时',
    reason: '原因',
    summary: '摘要',
    at: '时间',
    note: '说明',
  },
  status: {
    running: (version) => `NextRun ${version} 正在运行`,
    degraded: (version) => `NextRun ${version} 正在运行，但有问题`,
    stopped: 'NextRun 没有运行',
    address: '地址',
    engine: '引擎',
    engineStates: { running: '运行中', stopped: '已停止', paused: '已暂停' },
    lastScan: '上次扫描',
    nextScan: '下次扫描',
    tasks: '任务',
    tasksText: (all, attention, review) => `共 ${all} 个，${attention} 个有问题；${review} 次运行待确认`,
    queue: '队列',
    queueText: (running, cap, waiting) => `运行中 ${running}/${cap}，排队 ${waiting}`,
    paused: '已暂停',
    pausedText: (until) => (until === null ? '直到恢复' : `至 ${until}`),
    zone: '时区',
    folder: '数据文件夹',
    problem: '问题',
  },
  show: {
    id: 'ID',
    name: '名称',
    description: '描述',
    status: '状态',
    schedule: '计划',
    next: '下次运行',
    last: '上次运行',
    kind: '类型',
    agent: '智能体',
    command: '命令',
    folders: '文件夹',
    timeout: '超时',
    policies: '策略',
    attention: '问题',
    runs: '运行次数',
    prompt: '提示词',
    note: '说明',
  },
};

const texts: Record<Language, Words> = { en, zh };
const shared = { en: pageEn, zh: pageZhCN };

/** The command line's own texts in `language`. */
export function wordsOf(language: Language): Words {
  return texts[language];
}

/** What states, triggers, reasons and fields are called on the page, so that both doors use the same names. */
export function sharedWordsOf(language: Language) {
  const { states, triggers, reasons, run, time } = shared[language];
  return { states, triggers, reasons, fields: run.fields, changes: run.changes, time };
}
export type SharedWords = ReturnType<typeof sharedWordsOf>;

/** zh when the first of NEXTRUN_LANG, LC_ALL, LC_MESSAGES, LANG that is set starts with zh; else en. */
export function languageOf(env: Readonly<Record<string, string | undefined>>): Language {
  for (const name of ['NEXTRUN_LANG', 'LC_ALL', 'LC_MESSAGES', 'LANG']) {
    const value = env[name];
    if (value !== undefined && value !== '') return value.toLowerCase().startsWith('zh') ? 'zh' : 'en';
  }
  return 'en';
}
