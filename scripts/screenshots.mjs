import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright/test';
import { ensureBuild } from './build.mjs';
import { root } from './run-node.mjs';
import { prepareMachine } from './test-machine.mjs';

/**
 * Takes the pictures of README: a real host with real tasks in a folder of its own, photographed by a real browser.
 * Chinese needs a CJK font on the machine (Debian: fonts-noto-cjk).
 */

const program = join(root, 'out/main/nextrun.js');
const target = join(root, 'assets/screenshots');

async function startHost(folder) {
  const child = spawn(process.execPath, [program, 'serve', '--port', '0'], {
    env: { ...process.env, NEXTRUN_HOME: folder, TZ: 'Asia/Shanghai' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const data of child.stdout) if (String(data).includes('Ctrl+C')) break;
  const { url } = JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8'));
  const token = readFileSync(join(folder, 'token'), 'utf8').trim();
  const api = async (path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  return { child, api };
}

async function untilEnded(api, id) {
  for (;;) {
    const { status } = await api(`/api/run/status?id=${id}`);
    if (!['SCHEDULED', 'QUEUED', 'IN_PROGRESS'].includes(status)) return;
  }
}

async function makeTasks(api) {
  const zone = 'Asia/Shanghai';
  const cron = (expression) => ({ kind: 'cron', expression, timezone: zone });
  const automation = (name, command, schedule) => api('/api/automations', { name, command, schedule });
  await automation('每日科技新闻摘要', ['true'], cron('0 9 * * *'));
  await automation('Nightly backup', ['true'], { kind: 'every', interval_ms: 36 * 3_600_000 });
  await automation('Weekly report', ['true'], cron('0 18 * * 5'));
  const submit = (body) => api('/api/run', { delay_seconds: 0, ...body });
  const ended = [
    await submit({ name: '磁盘用量报告', command: 'df -h / | head -2' }),
    await submit({ name: 'Link check', command: 'echo "42 links, 1 broken: /docs/old"; exit 1' }),
    await submit({ name: '周报素材收集', command: 'echo "3 commits, 2 issues"', review: true }),
  ];
  for (const { id } of ended) await untilEnded(api, id);
  for (const name of [
    '竞品价格巡检',
    'PR review draft',
    '日志异常汇总',
    'Dependency audit',
    '客户邮件回复草稿',
  ]) {
    await submit({ name, command: 'for n in 1 2 3; do echo "step $n"; done; sleep 300' });
  }
  while ((await api('/api/queue')).waiting.length < 2);
}

await ensureBuild();
const folder = mkdtempSync(join(tmpdir(), 'nextrun-screenshots-'));
writeFileSync(join(folder, 'config.toml'), '[agents.claude]\ncommand = ["claude", "-p"]\ndefault = true\n');
mkdirSync(target, { recursive: true });
const { child, api } = await startHost(folder);
const browser = await chromium.launch({
  executablePath: prepareMachine(),
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  await makeTasks(api);
  for (const [name, locale, colorScheme] of [
    ['page-en-light', 'en-US', 'light'],
    ['page-zh-dark', 'zh-CN', 'dark'],
  ]) {
    const context = await browser.newContext({
      locale,
      colorScheme,
      timezoneId: 'Asia/Shanghai',
      viewport: { width: 1280, height: 860 },
    });
    const page = await context.newPage();
    await page.goto((await api('/api/login-codes', {})).url);
    await page.getByText('PR review draft').first().waitFor();
    await page.getByText('PR review draft').first().click();
    await page.getByText('step 3').first().waitFor();
    await page.screenshot({ path: join(target, `${name}.png`) });
    await context.close();
  }
} finally {
  await browser.close();
  child.kill('SIGTERM');
  await new Promise((resolve) => child.on('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
}
